import { parseProgram } from '../../src/asm/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createSrv, createUav, resolveBindings } from '../../src/machine/index.ts'

/**
 * Whether compiled code still does what it must under experimental switches of the host: small programs over the vector
 * operations that code is made of, on both widths that hosts may pack, against the reference engine.
 */

const THREADS = 32
/** Words of a thread's input. */
const INPUT_WORDS = 4

/** The line of an operation on r1 and r2 into r3, folded into r4 so that one wrong bit of any result shows. */
const folded = (operation: string): string =>
  `${operation}\nimad r4.xy, r4.xyxx, l(-1640531527, -1640531527, 0, 0), r3.xyxx`

const program = (body: string, declarations = ''): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, ${INPUT_WORDS * 4}
dcl_uav_structured u0, 8
${declarations}
dcl_input vThreadIDInGroupFlattened
dcl_temps 6
dcl_thread_group ${THREADS}, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
ld_structured_indexable(structured_buffer, stride=${INPUT_WORDS * 4})(mixed,mixed,mixed,mixed) r1.xyzw, r0.x, l(0), t0.xyzw
mov r2.xy, r1.zwzz
mov r3.xy, l(0, 0, 0, 0)
mov r4.xy, l(1, 2, 0, 0)
${body}
store_structured u0.xy, r0.x, l(0), r4.xyxx
ret
`

const ARITHMETIC = [
  'add r3.xy, r1.xyxx, -r2.xyxx',
  'mul r3.xy, r1.xyxx, |r2.xyxx|',
  'mad r3.xy, r1.xyxx, r2.xyxx, r1.yxxx',
  'div r3.xy, r1.xyxx, r2.xyxx',
  'mul_sat r3.xy, r1.xyxx, r2.xyxx',
  'min r3.xy, r1.xyxx, r2.xyxx',
  'max r3.xy, r1.xyxx, r2.xyxx',
  'sqrt r3.xy, |r1.xyxx|',
  'lt r3.xy, r1.xyxx, r2.xyxx',
  'ge r3.xy, r1.xyxx, r2.xyxx',
  'eq r3.xy, r1.xyxx, r2.xyxx',
  'ne r3.xy, r1.xyxx, r2.xyxx',
  'movc r3.xy, r1.xyxx, r2.xyxx, r1.yxxx',
  'ftoi r3.xy, r1.xyxx',
  'ftou r3.xy, r1.xyxx',
  'itof r3.xy, r1.xyxx',
  'utof r3.xy, r2.xyxx',
]

const WHOLE_NUMBERS = [
  'iadd r3.xy, r1.xyxx, -r2.xyxx',
  'imul null, r3.xy, r1.xyxx, r2.xyxx',
  'and r3.xy, r1.xyxx, r2.xyxx',
  'or r3.xy, r1.xyxx, r2.xyxx',
  'xor r3.xy, r1.xyxx, r2.xyxx',
  'not r3.xy, r1.xyxx',
  'ishl r3.xy, r1.xyxx, l(5, 5, 0, 0)',
  'ishr r3.xy, r1.xyxx, l(7, 7, 0, 0)',
  'ushr r3.xy, r1.xyxx, l(9, 9, 0, 0)',
  'imin r3.xy, r1.xyxx, r2.xyxx',
  'imax r3.xy, r1.xyxx, r2.xyxx',
  'umin r3.xy, r1.xyxx, r2.xyxx',
  'umax r3.xy, r1.xyxx, r2.xyxx',
  'ilt r3.xy, r1.xyxx, r2.xyxx',
  'ult r3.xy, r1.xyxx, r2.xyxx',
  'ieq r3.xy, r1.xyxx, r2.xyxx',
  'bfi r3.xy, l(9, 9, 0, 0), l(4, 4, 0, 0), r1.xyxx, r2.xyxx',
  'imul r3.xy, null, r1.xyxx, r2.xyxx',
]

/** What is not packed itself stands between operations that are. */
const MIXED = [
  'round_ne r3.xy, r1.xyxx',
  'frc r3.xy, r2.xyxx',
  'countbits r3.xy, r1.xyxx',
  'ishl r3.xy, r1.xyxx, r2.xyxx',
  'exp r3.x, r1.x',
]

/** Loops whose lanes leave one by one, merges, shared memory at addresses of the lanes' own. */
const FLOW = `
mov r5.xyzw, l(0, 0, 0, 0)
loop
  uge r5.y, r5.x, l(24)
  breakc_nz r5.y
  mad r1.xy, r1.xyxx, l(0.75, 0.5, 0, 0), r2.xyxx
  lt r5.z, l(100.0), |r1.x|
  if_nz r5.z
    break
  endif
  and r5.z, r4.x, l(1)
  if_nz r5.z
    imad r4.xy, r4.xyxx, l(3, 5, 0, 0), r1.xyxx
  else
    ushr r4.xy, r4.xyxx, l(1, 1, 0, 0)
    xor r4.x, r4.x, r0.x
  endif
  iadd r5.x, r5.x, l(1)
endloop
ishl r5.y, r0.x, l(2)
store_raw g0.x, r5.y, r4.x
sync_g_t
imad r5.z, r0.x, l(5), r5.x
and r5.z, r5.z, l(31)
ishl r5.z, r5.z, l(2)
ld_raw r5.w, r5.z, g0.xxxx
iadd r4.y, r4.y, r5.w
`

/** Programs, and how many vectors a word has in their code. */
const PROGRAMS: readonly (readonly [text: string, width: 2 | 4])[] = [
  [program(ARITHMETIC.map(folded).join('\n')), 2],
  [program(WHOLE_NUMBERS.map(folded).join('\n')), 4],
  [program(MIXED.map(folded).join('\n')), 2],
  [program(FLOW, `dcl_tgsm_raw g0, ${THREADS * 4}`), 4],
]

/** Words where vector code goes wrong first, then any. */
function inputWords(): Uint32Array<ArrayBuffer> {
  const special = [0, 0x80000000, 1, 0x80400000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf000000, 0x7fffffff]
  const words = new Uint32Array(THREADS * INPUT_WORDS)
  let x = 1
  for (let i = 0; i < words.length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    // Every other random word has an exponent near that of 1, so that sums and products stay finite.
    words[i] = i % 3 === 0 ? special[(x >>> 8) % special.length]! : i % 2 === 0 ? x : (x & 0x83ffffff) | 0x3c000000
  }
  return words
}

/** What a program leaves on an engine; undefined where it does not run. */
async function resultOf(engine: Engine, text: string): Promise<Uint32Array | undefined> {
  const parsed = parseProgram(text)
  const loaded = parsed.value === undefined ? undefined : engine.load(parsed.value)
  const input = createBuffer({ data: inputWords(), stride: INPUT_WORDS * 4 })
  const output = createBuffer({ byteLength: THREADS * 8, stride: 8 })
  if (loaded?.value === undefined || input.value === undefined || output.value === undefined) return undefined
  const bindings = resolveBindings({ t0: createSrv(input.value), u0: createUav(output.value) })
  if (bindings.value === undefined) return undefined
  const result = await engine.dispatch(loaded.value, bindings.value, [1, 1, 1])
  return result.stopped === undefined ? output.value.storage.words.slice() : undefined
}

const createTuned = (width: 2 | 4): Engine => createWasmEngineWith({ threads: 1, width, pairs: true })

/** Whether code for hosts that pack pairs of vectors agrees with the reference engine, bit for bit. */
export async function passesSelfTest(create: (width: 2 | 4) => Engine = createTuned): Promise<boolean> {
  const reference = createReferenceEngine({})
  for (const [text, width] of PROGRAMS) {
    const engine = create(width)
    const [expected, words] = [await resultOf(reference, text), await resultOf(engine, text)]
    engine.dispose?.()
    if (expected === undefined || words === undefined || words.some((w, i) => w !== expected[i])) return false
  }
  return true
}
