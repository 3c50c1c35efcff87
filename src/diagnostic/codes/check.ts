import type { CodeInfo } from './code-info.ts'

const MEMORY_MODEL = 'functional specification 7.14'

/** Conflicting accesses that nothing orders. */
const RACES = {
  'check-race': {
    severity: 'error',
    title: 'Data race within a thread group',
    explanation:
      'Two threads of a group touch the same dword, at least one of them writes, and no barrier lies between: what is read or left depends on which hardware runs the shader, and how. Put a GroupMemoryBarrierWithGroupSync (TGSM) or DeviceMemoryBarrierWithGroupSync (UAV) between the two accesses. That both threads are in one wave of some hardware is no order: Direct3D has no waves. Atomics on TGSM are not atomic against plain stores, so a store and an atomic race as two stores do.',
    source: 'functional specification 7.14.2 and 7.14.3',
  },
  'check-race-across-groups': {
    severity: 'error',
    title: 'Data race between thread groups',
    explanation:
      'Threads of different groups touch the same memory of a UAV, one of them with a plain write. Groups run in any order and no barrier spans them; only atomics on a UAV after a DeviceMemoryBarrier order one group after another. Use atomics, or two dispatches.',
    source: MEMORY_MODEL,
  },
  'check-race-barrier-scope': {
    severity: 'error',
    title: 'Synchronisation that does not order this memory',
    explanation:
      'A sync lies between two conflicting accesses of a group, but it does not order them: sync_g orders TGSM alone, sync_uglobal and sync_ugroup order UAVs alone, and a sync without _t does not wait for the other threads. Use the barrier that covers this memory, with group sync.',
    source: 'functional specification 22.17.7',
  },
  'check-race-atomic': {
    severity: 'warning',
    title: 'Load of TGSM in the middle of atomics',
    explanation:
      'A thread loads a dword of TGSM that other threads of the group change with atomics, and no barrier lies between. The load itself is whole, but it sees any state in between, as when the barrier between counting and reading the counts is missing.',
    source: 'functional specification 7.14.2',
  },
  'check-race-same-value': {
    severity: 'hint',
    title: 'Several threads write the same value',
    explanation:
      'Threads write the same dword without order, but every one of them writes the same bits, so the outcome is the same. Many shaders do so on purpose.',
    source: MEMORY_MODEL,
  },
  'check-unordered-atomic': {
    severity: 'hint',
    title: 'Atomic and plain access of a UAV without order',
    explanation:
      'A thread reads or writes a dword of a UAV that another changes with an atomic, and nothing orders the two. Direct3D makes UAV atomics atomic against plain accesses, so none is torn; which of them comes first is open. A load, a hint, sees any state in between. A store, a warning, undoes the atomics that happen to come before it. Polling a flag or testing before an atomic is done on purpose; reading a total is not.',
    source: 'functional specification 7.14.2',
  },
  'check-coherence': {
    severity: 'error',
    title: 'Load across groups without globally coherent UAV',
    explanation:
      'A group loads what another group wrote, but the UAV is not declared globallycoherent (_glc): the load may be answered by a cache that never saw the write, and a fence on such a UAV reaches only the own group. Declare the UAV globallycoherent, or read with an atomic.',
    source: 'functional specification 7.14.4 and 22.17.7',
  },
  'check-bounds-register': {
    severity: 'error',
    title: 'Index past the declared inputs or outputs',
    explanation:
      'A computed index of an input or output register lies outside what the shader declares. The result is undefined. A read counts where its result matters, and is a hint where nothing uses it.',
    source: 'functional specification 22.3.30',
  },
  'check-derivative': {
    severity: 'error',
    title: 'Derivative in divergent flow',
    explanation:
      'A derivative, or a sample whose level of detail comes from derivatives, needs values of pixels that did not execute the instruction. Move it out of the branch, or sample with an explicit level of detail.',
    source: 'functional specification 16.8',
  },
  'check-max-vertex-count': {
    severity: 'warning',
    title: 'Geometry shader at its limit',
    explanation: 'An invocation emits more vertices than dcl_maxout declares; what comes after is lost.',
    source: 'functional specification 22.3.5',
  },
  'check-sample-index': {
    severity: 'error',
    title: 'Attribute at a sample that does not exist',
    explanation: 'eval_sample_index names a sample that the render target does not have. The result is undefined.',
    source: 'functional specification 16.5',
  },
} as const satisfies Record<string, CodeInfo>

const BARRIERS = {
  'check-barrier-divergent': {
    severity: 'error',
    title: 'Barrier that a part of the group reaches',
    explanation:
      'A sync with the thread flag was reached by some threads of a group while others ended or went another way. Direct3D allows it only in flow that all threads of a group share; elsewhere hardware hangs, goes on too early, or pairs it with another barrier.',
    source: 'functional specification 22.17.7',
  },
  'check-barrier-different': {
    severity: 'error',
    title: 'Different barriers in parts of a group',
    explanation:
      'Threads of one group wait at different sync instructions at the same time. Direct3D requires that all threads of the group reach the same one.',
    source: 'functional specification 22.17.7',
  },
  'check-barrier-needless': {
    severity: 'hint',
    title: 'Barrier that orders nothing',
    explanation:
      'In this run no two threads met on the same memory across this barrier. It may be needed for other sizes or inputs; where it is not, it only costs time.',
    source: 'functional specification 22.17.7',
  },
} as const satisfies Record<string, CodeInfo>

const BOUNDS = {
  'check-bounds-structure-index': {
    severity: 'warning',
    title: 'Structure index past the view',
    explanation:
      'The structure index of a structured buffer lies past the view. Loads give 0 and stores are dropped, by rule; atomics leave memory alone and return something undefined. A load whose 0 is never used is only a hint. Dispatches that are rounded up rely on dropped stores; test the index to say so.',
    source: 'functional specification 22.4.12, 22.4.13 and 22.17',
  },
  'check-bounds-structure-offset': {
    severity: 'error',
    title: 'Byte offset past the structure',
    explanation:
      'The byte offset with the components accessed reaches past the end of one structure. A store or atomic makes the contents of the whole UAV undefined, a load its whole result; an index that is out of bounds as well does not change that. Much hardware compares with the end of the buffer only and touches the next structure.',
    source: 'functional specification 22.4.12 and 22.4.13',
  },
  'check-bounds-raw': {
    severity: 'warning',
    title: 'Byte address past a raw buffer',
    explanation:
      'Each dword of an access to a raw buffer is compared with the bounds by itself: those outside read 0 or are dropped, the others are accessed. Hardware exists that treats the access as a whole.',
    source: 'functional specification 22.4.10 and 22.4.11',
  },
  'check-bounds-element': {
    severity: 'warning',
    title: 'Element past a typed buffer',
    explanation: 'The element index of a typed buffer lies past the view: loads give 0, stores are dropped.',
    source: 'functional specification 22.4.6, 22.4.8 and 22.4.9',
  },
  'check-bounds-texel': {
    severity: 'warning',
    title: 'Texel outside the texture',
    explanation:
      'The coordinates, mip, sample or array slice of a load or store lie outside the view. Loads give 0 in all components, stores are dropped. Filters that need a border of zeros rely on it; a sample that is not there is undefined.',
    source: 'functional specification 22.4.6, 22.4.7 and 22.4.9',
  },
  'check-bounds-tgsm': {
    severity: 'error',
    title: 'Address past thread group shared memory',
    explanation:
      'The address lies past the end of the g# register, even if other shared memory follows. A store or atomic makes all shared memory of the group undefined, a load its result: a load counts where its result matters, and is a hint where nothing uses it.',
    source: 'functional specification 22.4.10 to 22.4.13 and 22.17',
  },
  'check-bounds-tgsm-structure': {
    severity: 'warning',
    title: 'Byte offset past the structure in thread group shared memory',
    explanation:
      'The byte offset of an access to structured TGSM reaches past the end of one structure, still inside the register. Direct3D defines where it goes, to the structure that follows, and unlike a UAV nothing becomes undefined. Compilers never mean it: the index of an inner array (as in float tile[16][16]) is out of bounds. A load counts where its result matters.',
    source: 'functional specification 22.4.12 and 22.4.13',
  },
  'check-bounds-indexable-temp': {
    severity: 'error',
    title: 'Index past an indexable temporary register',
    explanation:
      'A computed index of an array in registers (x#) lies outside its declaration; reads and writes are undefined. Hardware that keeps the array in registers touches other variables. A read counts where its result matters, and is a hint where nothing uses it.',
    source: 'functional specification 22.3.36',
  },
  'check-bounds-constant-buffer': {
    severity: 'warning',
    title: 'Constant past the bound buffer',
    explanation:
      'A computed index of a constant lies past the size that is bound; it reads 0 in all components. It counts where the 0 matters, and is a hint where nothing uses it.',
    source: 'functional specification 7.5',
  },
  'check-bounds-immediate-constants': {
    severity: 'warning',
    title: 'Index past the immediate constants',
    explanation:
      'A computed index into the constants that stand in the shader (icb, arrays with static const) lies past them; it reads 0. It counts where the 0 matters, and is a hint where nothing uses it.',
    source: 'functional specification 22.3.4',
  },
  'check-bounds-range': {
    severity: 'error',
    title: 'Register outside its declared range',
    explanation:
      'In Shader Model 5.1 a computed register lies outside the range that was declared. The result is undefined: hardware reads whatever descriptor lies there.',
    source: 'functional specification 7.11',
  },
  'check-misaligned': {
    severity: 'error',
    title: 'Address that is no multiple of 4',
    explanation:
      'Raw addresses and byte offsets in structures must be multiples of 4. A misaligned store or atomic makes the whole UAV, or all shared memory of the group, undefined; a load its result.',
    source: 'functional specification 7.13',
  },
  'check-unbound': {
    severity: 'warning',
    title: 'Access to a slot with nothing bound',
    explanation: 'Nothing is bound to the slot: loads give 0, stores and atomics do nothing, an atomic returns 0.',
    source: 'functional specification 22.4',
  },
  'check-format': {
    severity: 'error',
    title: 'Operation that the format does not have',
    explanation:
      'The format of the view does not support the operation: an atomic on other formats than R32_UINT and R32_SINT, a filter on integers, a gather or comparison that the format lacks.',
    source: 'functional specification 19.1 and the DXGI format tables',
  },
  'check-invalid-call': {
    severity: 'error',
    title: 'Call that goes nowhere',
    explanation:
      'A call nests too deep, or goes through an interface pointer without a class instance. Direct3D skips the former and leaves the latter undefined.',
    source: 'functional specification 22.7.10 and 22.7.19',
  },
} as const satisfies Record<string, CodeInfo>

const UNDEFINED_VALUES = {
  'check-uninitialized-temp': {
    severity: 'error',
    title: 'Temporary register read before it was written',
    explanation:
      'A thread reads a component of r# that it never wrote, and the value matters: it is stored, branched on, or used as an address, an index or a texture coordinate. Registers have no initial value. The value is followed bit by bit through moves and arithmetic; one that is masked out or not selected does not matter.',
    source: 'functional specification 22.3.35',
  },
  'check-uninitialized-indexable-temp': {
    severity: 'error',
    title: 'Element of an indexable temporary read before it was written',
    explanation:
      'A thread reads an element of x# (an array in registers) that it never wrote, and the value matters: it is stored, branched on, or used as an address, an index or a texture coordinate.',
    source: 'functional specification 22.3.36',
  },
  'check-uninitialized-tgsm': {
    severity: 'error',
    title: 'Shared memory read before it was written',
    explanation:
      'A thread reads a dword of TGSM that no thread of its group wrote before, and the value matters: it is stored, branched on, or used as an address, an index or a texture coordinate. TGSM has no initial value. Often the loop that clears it does not cover all of it, or its size depends on the group count.',
    source: 'functional specification 18.6.6',
  },
  'check-uninitialized-uav': {
    severity: 'warning',
    title: 'Contents of a UAV read that this dispatch did not write',
    explanation:
      'Reported on request: a load or atomic meets bytes of a UAV that the dispatch itself did not write before, and the value matters. Where the application clears or fills the resource before, that is fine.',
  },
} as const satisfies Record<string, CodeInfo>

const COUNTERS = {
  'check-counter-mixed': {
    severity: 'error',
    title: 'Counter incremented and decremented in one dispatch',
    explanation:
      'imm_atomic_alloc and imm_atomic_consume (IncrementCounter and DecrementCounter, Append and Consume) were both executed on one UAV in one dispatch. Direct3D does not allow it: an index that one thread was given may be given to another while it is still in use.',
    source: 'functional specification 5.3.10 and 22.17.17',
  },
  'check-counter-underflow': {
    severity: 'error',
    title: 'Counter decremented below zero',
    explanation:
      'imm_atomic_consume found a counter of 0: it wraps to 0xffffffff, which is returned as the index of the structure to consume.',
    source: 'functional specification 22.17.18',
  },
  'check-counter-overflow': {
    severity: 'error',
    title: 'Append buffer is full',
    explanation:
      'imm_atomic_alloc on a UAV with the append flag returned an index past the last structure: what is appended there is lost, and the counter goes on counting. Without the append flag, where shaders commonly compare the index with the capacity themselves, it is only a hint.',
    source: 'functional specification 5.3.10 and 22.17.17',
  },
  'check-counter-missing': {
    severity: 'error',
    title: 'Counter operation on a view without a counter',
    explanation:
      'The UAV was created without the counter or append flag, so it has no hidden counter. imm_atomic_alloc and imm_atomic_consume on it are undefined.',
    source: 'functional specification 5.3.10',
  },
} as const satisfies Record<string, CodeInfo>

const NUMBERS = {
  'check-nan-produced': {
    severity: 'warning',
    title: 'First NaN',
    explanation:
      'Reported on request: an instruction gave a NaN although none of its operands was one: 0 times infinity, infinity minus infinity, 0 divided by 0, the root of a negative number. From here it spreads to whatever is computed from it. The operands are given.',
    source: 'functional specification 3.1',
  },
  'check-infinity-produced': {
    severity: 'warning',
    title: 'First infinity',
    explanation:
      'Reported on request: an instruction gave an infinity although all its operands were finite. The operands are given.',
    source: 'functional specification 3.1',
  },
  'check-conversion-range': {
    severity: 'warning',
    title: 'Float outside the range of the integer it becomes',
    explanation:
      'Reported on request: ftoi or ftou was given a NaN or a number outside the range. Direct3D clamps, and makes 0 of NaN; HLSL as a language does not promise it, and other APIs leave it undefined.',
    source: 'functional specification 22.13.3 and 22.13.4',
  },
  'check-division-by-zero': {
    severity: 'warning',
    title: 'Division by zero',
    explanation:
      'Reported on request: a division has a divisor of 0. Integer division then gives 0xffffffff for quotient and remainder, float division an infinity or NaN.',
    source: 'functional specification 22.10.6 and 22.12.14',
  },
} as const satisfies Record<string, CodeInfo>

const RUNS = {
  'check-schedule': {
    severity: 'error',
    title: 'Results depend on the schedule',
    explanation:
      'The same dispatch under another wave width or another order of waves and groups left other bytes. Direct3D promises neither, so hardware may give either result. The first write that differs is given, and the reads that made it so, or the atomic whose returned value decided: a ticket, a rank in the group, a place to append to. Shaders that allocate with atomics differ legitimately in the order of what they allocate.',
    source: 'functional specification 7.14',
  },
  'check-stopped': {
    severity: 'warning',
    title: 'Partial check',
    explanation:
      'A budget was used up, or the shader aborted, before all threads had ended. What was found until then is reported; more may be there.',
  },
  'check-engine': {
    severity: 'warning',
    title: 'Option of engines that a check does not use',
    explanation:
      'A check runs on the reference engine, on one thread: it alone reports every access to the detectors. The options --engine and --threads are for heddle run and bench. --jobs checks several files at once.',
  },
  'check-suppression': {
    severity: 'error',
    title: 'Suppression that suppresses nothing',
    explanation:
      'A suppression names a code that does not exist, or is not written as CODE or CODE@line. Suppressions are one a line in a file, with # before comments.',
  },
} as const satisfies Record<string, CodeInfo>

/** What draws have beside dispatches. */
const DRAWS = {
  'check-race-invocations': {
    severity: 'error',
    title: 'Data race between invocations of a draw',
    explanation:
      'Two invocations of one draw, two pixels mostly, access the same place of a UAV, one of them with a plain store. Direct3D gives invocations no order: what is read or left differs from run to run and from one graphics processor to another. Atomics do not race with each other. A rasterizer ordered view orders the invocations of one pixel, and at sample frequency those of one sample; pixels beside each other stay without order.',
    source: 'functional specification 7.14; Direct3D 11.3, rasterizer ordered views',
  },
  'check-output-unwritten': {
    severity: 'warning',
    title: 'Output that an invocation does not write',
    explanation:
      'A component of an output is declared, and an invocation ended, or emitted a vertex, without writing it: its value is undefined. Write it on every path. After an emit a geometry shader has to write all outputs anew. Pixels that are discarded are left out.',
    source: 'functional specification 22.3.31 and 22.8.3',
  },
  'check-input-unwritten': {
    severity: 'error',
    title: 'Input that the stage before did not write',
    explanation:
      'A stage declares to read a component that the stage before declares as output, and an invocation of that stage did not write it: what is read is undefined. The finding stands at the declaration of the output.',
    source: 'functional specification 4.4',
  },
  'check-nan-position': {
    severity: 'warning',
    title: 'Position that is no number',
    explanation:
      'The last stage before the rasterizer gives a vertex a position (SV_Position) with a NaN in it. What becomes of its primitives is not defined: most hardware drops them. A division by zero, a normalization of a zero vector or an input that is not bound are common causes; the detector numbers finds where the NaN comes up first.',
    source: 'functional specification 15.4',
  },
  'check-depth-promise': {
    severity: 'error',
    title: 'Conservative depth output that breaks its promise',
    explanation:
      "A pixel shader that declares SV_DepthGreaterEqual or SV_DepthLessEqual promises never to write a smaller, or a larger, depth than the rasterizer's: at the centroid of the covered samples, or at the sample at sample frequency. Depth tests before the shader rely on it, so breaking it is undefined. A NaN breaks it too.",
    source: 'functional specification 16.9.3',
  },
  'check-stream-overflow': {
    severity: 'warning',
    title: 'Stream output that had no room',
    explanation:
      'A draw gave more primitives to stream output than its buffers take; the rest are not written, and once one buffer of a stream is full none of them is written further. Make the buffers larger, or draw less at once.',
    source: 'functional specification 20.4.10',
  },
} as const satisfies Record<string, CodeInfo>

/** Codes of the room `check`. */
export const CHECK_CODES = {
  ...RACES,
  ...BARRIERS,
  ...BOUNDS,
  ...UNDEFINED_VALUES,
  ...COUNTERS,
  ...NUMBERS,
  ...DRAWS,
  ...RUNS,
} as const satisfies Record<string, CodeInfo>
