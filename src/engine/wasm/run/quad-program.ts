import { valueOrThrow } from '../../../diagnostic/index.ts'
import { QUADS_OF_A_CALL, type QuadMemory, type QuadProgram } from '../../element-kernels.ts'
import { gatherDeclarations } from '../../gather/declarations.ts'
import {
  type AccessAddress,
  BindingTable,
  Builder,
  constantOf,
  type Label,
  type LoopPhi,
  type Lowered,
  type Region,
  type Value,
} from '../../ir/index.ts'
import { outputBounds, shaderOutputs } from '../../lower/index.ts'

/** Programs of quads as values: a thread group is the quads of a call, two by two threads each, so that waves of four are one quad. */

/** Declarations of a program without instructions. */
const NOTHING_DECLARED = valueOrThrow(
  gatherDeclarations({
    stageNumber: 1,
    major: 5,
    minor: 0,
    versionSpare: 0,
    statements: [],
    trailing: new Uint8Array(0),
  }),
)

/** A place in the memory; what is added to it last is a part of the instruction. */
function addressOf(o: Builder, at: Value, valid: Value | undefined, readableWords: number): AccessAddress {
  const [a, b] = at.args
  const fixed = at.op === 'i32Add' && valid === undefined ? constantOf(b!) : undefined
  const isFixed = fixed !== undefined && fixed < 2 ** 31
  return {
    // A call has whole quads: all lanes of a wave run.
    space: { kind: 'batch', part: 'inputs', byteOffset: isFixed ? fixed : 0, everyLane: true, readableWords },
    index: undefined,
    offset: isFixed ? a! : at,
    stride: 0,
    valid: valid ?? o.constant(0xffffffff),
  }
}

/**
 * A loop that tests its condition at its end, behind a first test of its own: V8 computes what no round changes before a loop only where
 * every way out of the loop comes behind it.
 */
function repeat(
  o: Builder,
  id: number,
  first: readonly Value[],
  condition: (words: readonly Value[]) => Value,
  round: (words: readonly Value[]) => readonly Value[],
): readonly Value[] {
  const label: Label = { id, loop: true, phis: [] }
  const begins = condition(first)
  const taken = o.inside(false, () => {
    let headerPhis: readonly LoopPhi[] = []
    const body = o.inside(true, () => {
      const words = first.map(() => o.phi())
      const next = round(words)
      headerPhis = words.map((value, n) => ({ value, init: first[n]!, next: next[n]! }))
      const again = o.inside(false, () => {})
      const otherwise = o.inside(false, () => o.push({ kind: 'break', label, args: next }))
      o.push({ kind: 'if', condition: condition(next), taken: again, otherwise, phis: [] })
    })
    for (const _ of first) label.phis.push(o.phi())
    o.push({ kind: 'loop', label, headerPhis, body, cost: 0, statement: 0 })
  })
  const phis = first.map((word, n) => ({ value: o.phi(), taken: label.phis[n]!, otherwise: word }))
  o.push({ kind: 'if', condition: begins, taken, otherwise: o.inside(false, () => {}), phis })
  return phis.map((p) => p.value)
}

export function lowerQuads(p: QuadProgram): Lowered {
  const options = {
    threads: [2, 2, QUADS_OF_A_CALL] as const,
    keepDenormals: p.keepsDenormals ?? false,
    fused: false,
  }
  const o = new Builder(options)
  let labels = 0
  const memory: QuadMemory<Value> = {
    quad: o.make('threadInGroup', [], 2),
    column: o.make('threadInGroup', [], 0),
    row: o.make('threadInGroup', [], 1),
    load(at, wordCount, valid) {
      const words = Array.from({ length: wordCount }, (_, n) => n)
      const results = words.map((n) => o.result(n))
      o.push({
        kind: 'load',
        statement: 0,
        address: addressOf(o, at, valid, wordCount),
        components: words,
        dwords: words,
        results,
      })
      return results
    },
    store(at, words, valid) {
      o.push({ kind: 'store', statement: 0, address: addressOf(o, at, valid, words.length), values: words })
    },
    choose(condition, taken, otherwise) {
      const side = (body: () => readonly Value[]): { readonly region: Region; readonly words: readonly Value[] } => {
        let words: readonly Value[] = []
        const region = o.inside(false, () => {
          words = body()
        })
        return { region, words }
      }
      const [a, b] = [side(taken), side(otherwise)]
      const phis = a.words.map((word, n) => ({ value: o.phi(), taken: word, otherwise: b.words[n]! }))
      o.push({ kind: 'if', condition, taken: a.region, otherwise: b.region, phis })
      return phis.map((p) => p.value)
    },
    repeat: (first, condition, round) => repeat(o, labels++, first, condition, round),
    signs: (word) => o.make('quadSigns', [word]),
    boundsOf: outputBounds,
    // Two bits for each pixel: whose word it gets.
    ofPixel: (word, n) => o.make('quadSwizzle', [word], n * 0x55),
    outputsOf: (shader, inputOf) => shaderOutputs(o, shader, inputOf),
    keepingDenormals(body) {
      const before = options.keepDenormals
      options.keepDenormals = true
      body()
      options.keepDenormals = before
    },
  }
  p.meaning(o, memory)
  const bindings = new BindingTable(NOTHING_DECLARED)
  return { declarations: NOTHING_DECLARED, builder: o, root: o.root, bindings, privateArrays: [] }
}
