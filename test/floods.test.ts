/** Very many of one thing through every function that reads: no exception, a bounded number of findings, an end in sight. */
import { describe, expect, test } from 'vitest'
import { matchBindings } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import {
  assemble,
  check,
  Device,
  type Diagnostic,
  decodeProgram,
  disassembleOutcome,
  encodeProgram,
  MAX_DIAGNOSTICS,
  readDxbc,
  reflect,
  ShaderError,
  uav,
  validate,
  valueOrThrow,
} from '../src/index.ts'
import { parseJob } from '../src/job/index.ts'
import { containerOf, opcodeToken, repeatedCode } from './support/floods.ts'

const UNKNOWN_OPCODE = 2032
/** `mov`, one dword long, whose operands are missing; as an operand token it has bit 31, so it is followed by another. */
const CHAINED_MOV = 0x81000036

const isBounded = (found: readonly Diagnostic[]): boolean => found.length <= 3 * MAX_DIAGNOSTICS + 10

function createFails(container: Uint8Array): readonly Diagnostic[] {
  try {
    new Device({ engine: 'reference' }).createShader(container)
  } catch (e) {
    if (e instanceof ShaderError) return e.diagnostics
    throw e
  }
  return []
}

describe('150,000 instructions that do not exist', () => {
  const code = repeatedCode(150_000, opcodeToken(UNKNOWN_OPCODE, 1))
  const container = containerOf(code)

  test('are decoded with the first errors and how many are left out', () => {
    const { value, diagnostics } = decodeProgram(code)
    expect(Buffer.compare(encodeProgram(value!), code)).toBe(0)
    expect(diagnostics.length).toBe(MAX_DIAGNOSTICS + 1)
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'diagnostics-more',
      message: `and ${150_000 - MAX_DIAGNOSTICS} more errors`,
    })
  })

  test('are validated, listed, reflected and refused', () => {
    const found = validate(container)
    expect(isBounded(found)).toBe(true)
    expect(found.at(-1)?.code).toBe('diagnostics-more')
    expect(isBounded(disassembleOutcome(container).diagnostics)).toBe(true)
    expect(reflect(readDxbc(container).value!).diagnostics).toEqual([])
    expect(isBounded(createFails(container))).toBe(true)
  })
})

describe('operands whose extended tokens run on into the next instructions', () => {
  // Reading each to the end of the program took 20 s for a third of this.
  test.each([
    ['one dword each', 60_000, [CHAINED_MOV]],
    ['as long as an instruction can be', 1000, [opcodeToken(0x36, 127), ...new Array(126).fill(0x80000000)]],
  ] as const)(
    '%s',
    (_name, count, dwords) => {
      const code = repeatedCode(count, ...dwords)
      const { value, diagnostics } = decodeProgram(code)
      expect(Buffer.compare(encodeProgram(value!), code)).toBe(0)
      expect(isBounded(diagnostics)).toBe(true)
      expect(isBounded(validate(containerOf(code)))).toBe(true)
    },
    30_000,
  )
})

test('a declaration for every slot and nothing bound', () => {
  // dcl_resource_raw t<n>: opcode 161, three dwords, an operand of the file t# with one immediate index.
  const words = new Uint32Array(repeatedCode(150_000, opcodeToken(161, 3), 0x00107000, 0).buffer)
  for (let n = 0; n < 150_000; n++) words[2 + n * 3 + 2] = n
  const threads = new Uint32Array([opcodeToken(155, 4), 1, 1, 1])
  const all = new Uint32Array(words.length + 4)
  all.set(words.subarray(0, 2))
  all.set(threads, 2)
  all.set(words.subarray(2), 6)
  all[1] = all.length
  const program = decodeProgram(new Uint8Array(all.buffer)).value!
  const { declarations } = createReferenceEngine({}).load(program).value!
  const { diagnostics } = matchBindings(declarations, {})
  expect(diagnostics.length).toBe(MAX_DIAGNOSTICS + 1)
  expect(diagnostics.at(-1)?.message).toBe(`and ${150_000 - MAX_DIAGNOSTICS} more warnings`)
})

test('a job with a fault in each of 150,000 resources', () => {
  const job = { shader: 'a.dxbc', dispatch: [1, 1, 1], resources: new Array(150_000).fill(5) }
  const { diagnostics } = parseJob(job)
  expect(diagnostics.length).toBe(MAX_DIAGNOSTICS + 1)
  expect(diagnostics.at(-1)?.severity).toBe('error')
})

describe('programs that are small and cost much', () => {
  const COMPUTE = 'cs_5_0\ndcl_uav_structured u0, 4\ndcl_input vThreadID.x\n'
  const shaderOf = (temps: number, body: string, threads = 1): Uint8Array => {
    const text = `${COMPUTE}dcl_temps ${temps}\ndcl_thread_group ${threads}, 1, 1\n${body}store_structured u0.x, vThreadID.x, l(0), r0.x\nret\n`
    return valueOrThrow(assemble(text))
  }

  test('loops nested deep around many registers run on the reference engine, which is reported', async () => {
    const body = Array.from({ length: 200 }, (_, i) => `iadd r${i}.xyzw, r${(i + 1) % 200}.xyzw, l(1, 1, 1, 1)\n`).join(
      '',
    )
    // 200 loops that merge 800 words each: 160000 merges.
    const shader = shaderOf(200, `${'loop\nbreakc_nz r0.x\n'.repeat(200)}${body}${'endloop\n'.repeat(200)}`)
    const device = new Device({ threads: 1 })
    const loaded = device.createShader(shader)
    expect(loaded.diagnostics.map((d) => d.code)).toEqual(['engine-fallback'])
    // Every loop is left once r0.x is 1: the innermost adds once, and all others leave at their next test.
    const buffer = device.createBuffer({ byteLength: 4, stride: 4 })
    const result = await device.dispatch(loaded, { u0: uav(buffer) }, [1, 1, 1])
    expect(result.engine).toBe('reference')
    expect(result.stopped).toBeUndefined()
  })

  // Each was code that V8 ended the process for, or overflowed a stack or not by the size of its frames.
  const rows = (count: number, row: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => row(n)).join('')
  const step = (n: number): string => `iadd r${n % 4}.xyzw, r${(n + 1) % 4}.xyzw, r${n % 4}.xyzw\n`
  test.each([
    ['blocks around barriers', rows(300, (n) => `loop\nbreakc_nz r${n % 4}.x\nsync_g_t\n${step(n)}endloop\n`)],
    [
      'regions inside one another',
      `${'loop\nbreakc_nz r0.x\ncontinuec_nz r0.y\n'.repeat(140)}${step(0)}${'endloop\n'.repeat(140)}`,
    ],
    [
      'components of memory and registers accessed',
      rows(10_001, (n) => `ld_structured r0.x, r${n % 4}.x, l(0), u0.xxxx\n`),
    ],
    ['values of locals at branches', rows(1500, (n) => `loop\nbreakc_nz r${n % 4}.x\n${step(n)}endloop\n`)],
  ])('more than the limit of %s', (what, body) => {
    const different = rows(4, (n) => `iadd r${n}.xyzw, vThreadID.xxxx, l(${n}, 1, 2, 3)\n`)
    const loaded = new Device({ threads: 1 }).createShader(shaderOf(4, different + body, 64))
    expect(loaded.diagnostics.map((d) => d.code)).toEqual(['engine-fallback'])
    expect(loaded.diagnostics[0]?.message).toContain(what)
    expect(loaded.diagnostics[0]?.place).toMatchObject({ kind: 'statement' })
  })

  test('the reference engine refuses what would be gigabytes of its steps, at the statement', () => {
    const shader = shaderOf(4, 'sincos r0.xyzw, r1.xyzw, r2.xyzw\n'.repeat(6000))
    const [found] = createFails(shader)
    expect(found).toMatchObject({ code: 'engine-code-size', place: { kind: 'statement' } })
  })

  test('blocks that nest deep are validated', () => {
    const deep = shaderOf(1, `${'if_nz r0.x\n'.repeat(30_000)}${'endif\n'.repeat(30_000)}`)
    const codes = validate(deep).map((d) => d.code)
    expect(codes).toContain('validate-block-nesting')
  }, 30_000)

  test('a check of straight code ends when its time is used up', async () => {
    const shader = shaderOf(2, 'mov r0.x, r1.x\n'.repeat(20_000))
    const device = new Device({ engine: 'reference' })
    const bindings = { u0: uav(device.createBuffer({ byteLength: 4, stride: 4 })) }
    for (const maxMilliseconds of [0, 1]) {
      const report = await check(device, shader, bindings, [4096, 1, 1], { maxMilliseconds })
      expect(report.partial).toBe('time')
      expect(report.diagnostics.map((d) => d.code)).toContain('check-stopped')
    }
  })
})
