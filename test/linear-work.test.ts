/**
 * Work that grows with the input and no faster: what is read or stored is counted, never the time. Each of these grew with
 * the square of its input, and stands for its kind: nests, rows, phases, lines, lists that every statement reads.
 */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseProgram } from '../src/asm/parse/parse-program.ts'
import { Source } from '../src/asm/parse/source.ts'
import { findSpinLoop } from '../src/engine/analysis/index.ts'
import { hasBarrier, type Item, itemsBelow, regionsIn } from '../src/engine/ir/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngine } from '../src/engine/wasm/index.ts'
import type { Program } from '../src/program/index.ts'
import { validate } from '../src/validate/index.ts'
import { irProgram } from './support/ir-program.ts'
import { programOf } from './support/run-text.ts'

afterEach(() => void vi.restoreAllMocks())

/** Twice the input is at most so many times the work; what takes a square's work takes four times. */
const MOST_GROWTH = 2.5

function expectLinear(workOf: (size: number) => number, size: number): void {
  const [once, twice] = [workOf(size), workOf(2 * size)]
  expect(once).toBeGreaterThan(size / 2)
  expect(twice / once).toBeLessThan(MOST_GROWTH)
}

const isRange = ([first]: readonly unknown[]): boolean =>
  typeof first === 'object' && first !== null && 'space' in first

/** Counts how often the kind of an item is asked for. */
function countKinds(items: readonly Item[]): () => number {
  let asked = 0
  for (const item of items) {
    const { kind } = item
    Object.defineProperty(item, 'kind', {
      get() {
        asked++
        return kind
      },
    })
  }
  return () => asked
}

const poll = (n: number): string => `v${n + 1} = load [uav 0, offset 0x0 stride 0] 0 of 0 @8`
const WRITE = 'v0 = threadInGroup.0\nstore [uav 0, offset 0x0 stride 0] 0x1 @1\n'

function nestedLoops(depth: number, inside: string): string {
  const open = Array.from({ length: depth }, (_, n) => `loop L${n} cost 2 @7 {\n`).join('')
  return `${WRITE}${open}${inside}${`break L${depth - 1}\n`}${'}\n'.repeat(depth)}`
}

const rowOfLoops = (count: number): string =>
  WRITE +
  Array.from(
    { length: count },
    (_, n) =>
      `loop L${n} cost 2 @7 {\n${poll(2 * n)}\nv${2 * n + 2} = i32Add v${2 * n + 1}, 0x1\nif v0 {\nbreak L${n}\n} else {\n}\n}\n`,
  ).join('')

describe('loops', () => {
  const work = (text: string): number => {
    const program = irProgram(text)
    const count = countKinds([...itemsBelow(program.root.items)])
    expect(findSpinLoop(program, 4)).toBeUndefined()
    return count()
  }

  test('inside one another are asked for what they wait for', () => {
    expectLinear((depth) => work(nestedLoops(depth, `${poll(0)}\n`)), 60)
  })

  test('in a row are asked for what they wait for', () => {
    expectLinear((count) => work(rowOfLoops(count)), 60)
  })

  test('inside one another are asked for barriers at every level', () => {
    expectLinear((depth) => {
      const { root } = irProgram(nestedLoops(depth, ''))
      const count = countKinds([...itemsBelow(root.items)])
      const ask = (items: readonly Item[]): void => {
        for (const item of items) {
          expect(hasBarrier(item)).toBe(false)
          for (const region of regionsIn(item)) ask(region.items)
        }
      }
      ask(root.items)
      return count()
    }, 60)
  })
})

const HULL = `hs_5_0
hs_decls
dcl_input_control_point_count 3
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
`
const PHASE = 'hs_fork_phase\ndcl_temps 2\ndcl_indexableTemp x0[3], 4\nmov r0.x, l(1)\nret\n'

/** A program whose statements count how often one of them is read. */
function counted(program: Program): { readonly program: Program; readonly reads: () => number } {
  let reads = 0
  const statements = new Proxy(program.statements, {
    get(list, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++
      return Reflect.get(list, name, receiver)
    },
  })
  return { program: { ...program, statements }, reads: () => reads }
}

describe('phases of a hull shader', () => {
  test('are compiled from their own statements', () => {
    expectLinear((phases) => {
      const { program, reads } = counted(programOf(HULL + PHASE.repeat(phases)))
      for (const engine of [createReferenceEngine({}), createWasmEngine({})]) {
        expect(engine.load(program).value).toBeDefined()
      }
      return reads()
    }, 60)
  })

  test('are put together once for function bodies', () => {
    const phase = (n: number): string =>
      `hs_fork_phase\ndcl_indexableTemp x${n}[3], 4\ndcl_output o${n}.x\nmov o${n}.x, l(1)\nret\n`
    expectLinear((phases) => {
      const text = `${HULL}${Array.from({ length: phases }, (_, n) => phase(n)).join('')}label fb0\nret\n`
      const program = programOf(text)
      const set = vi.spyOn(Map.prototype, 'set')
      validate(program)
      const stored = set.mock.calls.length
      set.mockRestore()
      return stored
    }, 60)
  })
})

/** A text that counts the characters in which something is searched for. */
class SearchedText extends String {
  searched = 0

  override indexOf(wanted: string, from = 0): number {
    const at = super.indexOf(wanted, from)
    this.searched += (at < 0 ? this.length : at) - from + 1
    return at
  }
}

describe('lines', () => {
  const searchedIn = (line: string, lines: number): number => {
    const text = new SearchedText(line.repeat(lines))
    parseProgram(text as unknown as string)
    return text.searched
  }

  test.each([
    ['a declaration without a comma', 'dcl_input v0\n'],
    ['a statement', 'mov r0.x, r1.x\n'],
  ])('with %s are searched to their ends alone', (_, line) => {
    expectLinear((lines) => searchedIn(line, lines), 200)
  })

  test('are where a text is found', () => {
    const source = new Source('a, b\nc\n,')
    source.nextLine()
    expect(source.find(',')).toBe(1)
    source.nextLine()
    expect(source.find(',')).toBe(-1)
    expect(source.find('c')).toBe(5)
  })
})

test('an immediate constant buffer is copied once for all that read it', () => {
  const constants = Array.from({ length: 64 }, () => '{ 1.0, 2.0, 3.0, 4.0 }').join(',\n')
  const head = `cs_5_0\ndcl_immediateConstantBuffer { ${constants} }\ndcl_uav_raw u0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\nmov r1.x, l(0)\n`
  const program = programOf(`${head}${'mov r0.xyzw, icb[r1.x + 0].xyzw\n'.repeat(50)}store_raw u0.x, l(0), r0.x\nret\n`)
  const copies = vi.spyOn(Int32Array, 'from')
  expect(createReferenceEngine({}).load(program).value).toBeDefined()
  expect(copies.mock.calls.filter(([list]) => (list as unknown as ArrayLike<number>).length === 256).length).toBe(1)
})

test('declarations are found without going through them for every statement', () => {
  const finds = vi.spyOn(Array.prototype, 'find')
  const declared = Array.from({ length: 40 }, (_, n) => `dcl_resource_raw t${n}\n`).join('')
  const reads = Array.from({ length: 40 }, (_, n) => `ld_raw r0.x, r0.y, t${n}.xxxx\n`).join('')
  const program = programOf(`cs_5_0\n${declared}dcl_temps 1\ndcl_thread_group 1, 1, 1\n${reads}ret\n`)
  finds.mockClear()
  for (const engine of [createReferenceEngine({}), createWasmEngine({})]) {
    expect(engine.load(program).value).toBeDefined()
  }
  const gone = finds.mock.contexts.filter((list) => (list as unknown[])[39] !== undefined && isRange(list as unknown[]))
  expect(gone.length).toBe(0)
})
