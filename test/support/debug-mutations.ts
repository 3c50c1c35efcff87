/** Damaged debug data of real shaders: each has to give a map and diagnostics, in proportion to its size. */
import { findChunk, replaceChunk } from '../../src/dxbc/index.ts'
import { readShader, type Shader } from '../../src/shader/index.ts'
import { childrenOf, type SourceValue, sourceOf, sourceTypeText, wordsOf } from '../../src/source/index.ts'
import { corpusFiles } from './corpus.ts'
import { randomOf } from './frame-mutations.ts'

interface Sample {
  readonly name: string
  readonly shader: Shader
  readonly fourcc: string
  readonly data: Uint8Array
}

function samples(): readonly Sample[] {
  return corpusFiles().flatMap(({ name, bytes }) => {
    const shader = readShader(bytes).value
    const chunk = shader === undefined ? undefined : findChunk(shader.container, 'SPDB', 'SDBG')
    return shader === undefined || chunk === undefined ? [] : [{ name, shader, fourcc: chunk.fourcc, data: chunk.data }]
  })
}

const WORDS = [0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x1000, 0x1001]

type Below = (below: number) => number

/** One change: a word or half a word replaced, a bit turned, bytes copied over others, or the end cut off. */
function change(bytes: Uint8Array, below: Below): Uint8Array {
  const view = new DataView(bytes.buffer)
  const at = below(bytes.length - 4)
  switch (below(8)) {
    case 0:
      view.setUint32(at & ~3, WORDS[below(WORDS.length)]!, true)
      return bytes
    case 1:
      view.setUint16(at & ~1, WORDS[below(WORDS.length)]! & 0xffff, true)
      return bytes
    case 2:
      view.setUint32(at & ~3, view.getUint32(at & ~3, true) + below(64) - 32, true)
      return bytes
    case 3: {
      const length = 1 + below(64)
      bytes.copyWithin(at, below(bytes.length - length), length)
      return bytes
    }
    case 4:
      view.setUint16(at & ~1, below(0x10000), true)
      return bytes
    case 5:
      return below(8) === 0 ? bytes.slice(0, at) : bytes
    default:
      bytes[at] = bytes[at]! ^ (1 << below(8))
      return bytes
  }
}

/** Values that are looked at of each variable: what a debugger shows at once. */
const MOST_VALUES = 2000

function walk(value: SourceValue, left: { values: number }, depth: number): void {
  if (--left.values < 0 || depth > 64) return
  sourceTypeText(value.type)
  wordsOf(value)
  for (const child of childrenOf(value, 0, value.type.kind === 'object' ? 1 : 32)) walk(child, left, depth + 1)
}

/** Asks a map everything that a debugger asks, at some of its statements. */
export function askAll(shader: Shader, below: Below): void {
  const { value: map } = sourceOf(shader)
  const count = shader.program.statements.length
  for (let file = 0; file < Math.min(4, map.files.length); file++) {
    for (const line of map.linesWithStatements(file).slice(0, 50)) map.statementsOf(file, line)
  }
  for (let i = 0; i < 6; i++) {
    const statement = below(count)
    map.linesOf(statement)
    map.inlineStack(statement)
    const left = { values: MOST_VALUES }
    for (const v of map.variablesAt(statement)) walk(v, left, 0)
  }
}

export interface FailedMutant {
  readonly name: string
  readonly index: number
  readonly problem: string
}

/** Seconds of the processor that one mutant may take; sound debug data of the corpus takes a hundredth. */
const MOST_SECONDS = 2

/** Mutants that threw or took too long (that only where `isTimed`), of `count` from a seed. */
export function failedDebugMutants(
  seed: number,
  count: number,
  isTimed: boolean,
  onProgress: (done: number) => void = () => undefined,
): readonly FailedMutant[] {
  const all = samples()
  const failures: FailedMutant[] = []
  for (let index = 0; index < count; index++) {
    const below = randomOf(Math.imul(seed + index, 0x9e3779b1))
    const { name, shader, fourcc, data } = all[below(all.length)]!
    let bytes: Uint8Array = data.slice()
    for (let i = 1 + below(12); i > 0 && bytes.length > 256; i--) bytes = change(bytes, below)
    const start = process.cpuUsage()
    try {
      askAll({ ...shader, container: replaceChunk(shader.container, fourcc, bytes) }, below)
    } catch (e) {
      failures.push({ name, index, problem: e instanceof Error ? (e.stack ?? e.message) : String(e) })
    }
    const { user, system } = process.cpuUsage(start)
    const seconds = (user + system) / 1e6
    if (isTimed && seconds > MOST_SECONDS) failures.push({ name, index, problem: `took ${seconds.toFixed(1)} s` })
    onProgress(index + 1)
  }
  return failures
}
