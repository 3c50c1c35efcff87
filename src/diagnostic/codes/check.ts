import type { CodeInfo } from './code-info.ts'

/** Codes of the room `check`. */
export const CHECK_CODES = {
  'check-race': {
    severity: 'error',
    title: 'data race within a thread group',
    explanation:
      'Two threads of a group touch the same dword, at least one of them writes, and no barrier lies between: what is read or left depends on which hardware runs the shader, and how. Put a GroupMemoryBarrierWithGroupSync (TGSM) or DeviceMemoryBarrierWithGroupSync (UAV) between the two accesses. That both threads are in one wave of some hardware is no order: Direct3D has no waves.',
    source: 'functional specification 7.14',
  },
  'check-race-across-groups': {
    severity: 'error',
    title: 'data race between thread groups',
    explanation:
      'Threads of different groups touch the same memory of a UAV and at least one of them writes without an atomic. Groups run in any order and no barrier spans them; only atomics on a UAV, after a DeviceMemoryBarrier, can order them. Use atomics, or two dispatches.',
    source: 'functional specification 7.14.4',
  },
  'check-race-barrier-scope': {
    severity: 'error',
    title: 'barrier that covers other memory',
    explanation:
      'A barrier lies between two conflicting accesses, but its flags name other memory: sync_g orders TGSM, sync_uglobal and sync_ugroup order UAVs, and sync_t alone orders no memory at all. Use the barrier that covers this memory.',
    source: 'functional specification 22.17.7',
  },
  'check-race-same-value': {
    severity: 'hint',
    title: 'several threads write the same value',
    explanation:
      'Threads write the same dword without order, but every one of them writes the same bits, so the outcome is the same. Many shaders do so on purpose.',
    source: 'functional specification 7.14',
  },
  'check-coherence': {
    severity: 'error',
    title: 'load across groups without globally coherent UAV',
    explanation:
      'A group loads what another group wrote, properly ordered by an atomic and fences, but the UAV is not declared globallycoherent (_glc): the load may be answered by a cache that never saw the write.',
    source: 'functional specification 7.14.4',
  },
  'check-barrier-needless': {
    severity: 'hint',
    title: 'barrier that orders nothing',
    explanation:
      'In this run no two threads met on the same memory across this barrier. It may be needed for other sizes or inputs; where it is not, it only costs time.',
    source: 'functional specification 22.17.7',
  },
} as const satisfies Record<string, CodeInfo>
