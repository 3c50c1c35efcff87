import type { IsolationProgram } from './program.ts'

/** Programs at the edges of each kind of memory, for isolation trials: one access each, at addresses of every form. */

/** Threads of a group where a memory does not say. */
const THREADS = 16

interface Memory {
  readonly name: string
  readonly declares: string
  /** Fills what is declared. */
  readonly fill: string
  /** Accesses it at the address in r2.x; a load goes to r1. */
  readonly access: string
  /** Reads back what a wrong store would have changed to r1. */
  readonly after: string
  /** The first address that is past the end, and the step from one address to the next. */
  readonly limit: number
  readonly step: number
  /** Threads of a group: no more than fit into a small view beside each other. */
  readonly threads?: number
  readonly views?: IsolationProgram['views']
}

const each = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

function arrays(count: number): Memory[] {
  const base = {
    declares: `dcl_indexableTemp x0[${count}], 4\ndcl_indexableTemp x1[2], 4`,
    fill: `${each(count, (n) => `mov x0[${n}].xyzw, l(${n + 1}, ${n + 2}, ${n + 3}, ${n + 4})`)}
${each(2, (n) => `mov x1[${n}].xyzw, l(9${n}, 8${n}, 7${n}, 6${n})`)}`,
    limit: count,
    step: 1,
  }
  // An index of the second array that the compiler does not know, so that it is memory too.
  const after = 'and r4.x, vThreadIDInGroup.x, l(1)\nmov r3.xyzw, x1[r4.x + 0].xyzw\niadd r1.xyzw, r1.xyzw, r3.xyzw'
  return [
    { ...base, name: `x# of ${count}, load`, access: 'mov r1.xyzw, x0[r2.x + 0].xyzw', after },
    { ...base, name: `x# of ${count}, store`, access: 'mov x0[r2.x + 0].xyzw, l(5, 6, 7, 8)', after },
  ]
}

function shared(bytes: number, stride: number, count: number): Memory[] {
  const declares = `dcl_tgsm_raw g0, ${bytes}\ndcl_tgsm_structured g1, ${stride}, ${count}\ndcl_tgsm_raw g2, 64`
  const fill = `${each(bytes / 4, (n) => `store_raw g0.x, l(${n * 4}), l(${n + 1000})`)}
${each(count, (n) => each(stride / 4, (m) => `store_structured g1.x, l(${n}), l(${m * 4}), l(${n * 100 + m})`))}
${each(16, (n) => `store_raw g2.x, l(${n * 4}), l(${n + 5000})`)}
sync_g_t`
  const after = `sync_g_t
ld_raw r3.xyzw, l(0), g2.xyzw
iadd r1.xyzw, r1.xyzw, r3.xyzw
ld_structured r3.x, l(0), l(0), g1.xxxx
iadd r1.x, r1.x, r3.x`
  const raw = { declares, fill, after, limit: bytes, step: 4 }
  const index = { ...raw, limit: count, step: 1 }
  const offset = { ...raw, limit: stride, step: 4 }
  const last = stride - 4
  return [
    { ...raw, name: 'raw g#, load', access: 'ld_raw r1.x, r2.x, g0.xxxx' },
    { ...raw, name: 'raw g#, load of four', access: 'ld_raw r1.xyzw, r2.x, g0.xyzw' },
    { ...raw, name: 'raw g#, store', access: 'store_raw g0.x, r2.x, l(5)' },
    { ...raw, name: 'raw g#, store of two', access: 'store_raw g0.xy, r2.x, l(5, 6, 7, 8)' },
    { ...raw, name: 'raw g#, atomic', access: 'atomic_iadd g0, r2.x, l(5)' },
    { ...index, name: 'index of g#, load', access: `ld_structured r1.x, r2.x, l(${last}), g1.xxxx` },
    { ...index, name: 'index of g#, store', access: `store_structured g1.x, r2.x, l(${last}), l(5)` },
    { ...offset, name: 'offset in g#, load', access: `ld_structured r1.x, l(${count - 1}), r2.x, g1.xxxx` },
    {
      ...offset,
      name: 'offset in g#, store of two',
      access: `store_structured g1.xy, l(${count - 1}), r2.x, l(5, 6, 7, 8)`,
    },
  ]
}

function immediateConstants(count: number): Memory {
  const rows = Array.from({ length: count }, (_, n) => `{ ${n + 1}, ${n + 2}, ${n + 3}, ${n + 4} }`)
  return {
    name: `icb of ${count}`,
    declares: `dcl_immediateConstantBuffer { ${rows.join(', ')} }`,
    fill: '',
    access: 'mov r1.xyzw, icb[r2.x + 0].xyzw',
    after: '',
    limit: count,
    step: 1,
  }
}

/** Some of the constants that the shader declares are bound. */
const CONSTANTS: Memory = {
  name: 'cb#',
  declares: 'dcl_constantbuffer CB1[6], dynamicIndexed',
  fill: '',
  access: 'mov r1.xyzw, cb1[r2.x + 0].xyzw',
  after: '',
  limit: 5,
  step: 1,
}

const MOST_CONSTANTS = 4096

/**
 * As many constants as there can be, with other ones after them: no room that is 0 stands behind the last. It also leaves
 * something behind the immediate constants of the programs that come next.
 */
const MOST: Memory = {
  ...CONSTANTS,
  name: `cb# of ${MOST_CONSTANTS}, icb after it`,
  declares: `dcl_immediateConstantBuffer { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }
dcl_constantbuffer CB2[${MOST_CONSTANTS}], dynamicIndexed`,
  access: 'mov r1.xyzw, cb2[r2.x + 0].xyzw',
  limit: MOST_CONSTANTS,
  views: [{ slot: 'b2', resource: { kind: 'buffer', number: 13 }, options: { byteLength: 16 * MOST_CONSTANTS } }],
}

/** Views of four structures of 16 bytes, in four threads. */
function structures(): Memory[] {
  const view = (slot: string) => ({
    slot,
    resource: { kind: 'buffer', number: 4 } as const,
    options: { stride: 16, firstElement: 0, elementCount: 4 },
  })
  const base = { fill: '', after: '', threads: 4 }
  const srv = { ...base, declares: 'dcl_resource_structured t0, 16', views: [view('t0')] }
  const uav = { ...base, declares: 'dcl_uav_structured u0, 16', views: [view('u0')] }
  const index = { limit: 4, step: 1 }
  const offset = { limit: 16, step: 4 }
  return [
    { ...srv, ...index, name: 'index of t#, load', access: 'ld_structured r1.xyzw, r2.x, l(0), t0.xyzw' },
    { ...srv, ...offset, name: 'offset in t#, load', access: 'ld_structured r1.x, l(3), r2.x, t0.xxxx' },
    { ...srv, ...offset, name: 'offset in t#, load of two', access: 'ld_structured r1.xy, l(3), r2.x, t0.xyxx' },
    { ...uav, ...index, name: 'index of u#, store', access: 'store_structured u0.xyzw, r2.x, l(0), l(5, 6, 7, 8)' },
    { ...uav, ...offset, name: 'offset in u#, store', access: 'store_structured u0.x, l(3), r2.x, l(5)' },
  ]
}

/** Ways to make addresses that reach `place`: known to the compiler, the same for all lanes, by lane, of low bits alone. */
function addresses(place: number, step: number, threads: number): string[] {
  const back = threads * step
  const mask = 2 ** (32 - Math.clz32(place)) - 1
  return [
    `mov r2.x, l(${place >>> 0})`,
    'mov r2.x, cb0[0].x',
    // Times a stride of 12 or 16 it is a multiple of 2^32.
    'mov r2.x, cb0[0].y',
    `imad r2.x, vThreadIDInGroup.x, l(${step}), l(${(place - back + step) >>> 0})`,
    `imad r2.x, vThreadIDInGroup.x, l(${-step >>> 0}), cb0[0].x`,
    `xor r2.x, vThreadIDInGroup.x, l(0xffffffff)\nand r2.x, r2.x, l(${step === 4 ? (mask & ~3) >>> 0 : mask})`,
  ]
}

function programOf(memory: Memory, address: string, place: number): IsolationProgram {
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[8], immediateIndexed
${memory.declares}
dcl_uav_raw u7
dcl_input vThreadIDInGroup.xyz
dcl_temps 5
dcl_thread_group ${memory.threads ?? THREADS}, 1, 1
${memory.fill}
mov r1.xyzw, l(0, 0, 0, 0)
${address}
${memory.access}
${memory.after}
ishl r0.x, vThreadIDInGroup.x, l(4)
store_raw u7.xyzw, r0.x, r1.xyzw
ret
`.replace(/\n+/g, '\n')
  const constants = new Uint32Array(32)
  constants.set([place, 0x40000000])
  return {
    text,
    shape: { threads: [memory.threads ?? THREADS, 1, 1], groups: [1, 1, 1] },
    views: memory.views ?? [],
    constants,
  }
}

export interface EdgeProgram {
  readonly name: string
  readonly program: IsolationProgram
}

/** Every piece of memory at its last place, just past its end, and one further. */
export function edgePrograms(): EdgeProgram[] {
  const memories = [
    ...arrays(3),
    ...arrays(4),
    ...shared(60, 12, 3),
    ...shared(64, 16, 4),
    CONSTANTS,
    MOST,
    immediateConstants(3),
    immediateConstants(4),
    ...structures(),
  ]
  return memories.flatMap((memory) =>
    [-1, 0, 1].flatMap((n) => {
      const place = memory.limit + n * memory.step
      return addresses(place, memory.step, memory.threads ?? THREADS).map((address, form) => ({
        name: `${memory.name}, address ${place} in form ${form}`,
        program: programOf(memory, address, place),
      }))
    }),
  )
}
