import { expect, it } from 'vitest'
import { ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { DispatchResult, Observer } from '../../src/engine/index.ts'
import { rowOfOpcode } from '../../src/isa/index.ts'
import { type Bindings, createBuffer, createUav, type Storage } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { programOf, type RunOptions, runProgram } from './run-text.ts'

/**
 * One program of one thread and what it must leave, worked out from the specification. The program starts with 7 in all
 * components of r1 and ends by storing r1; `result` is what r1 holds then, as bits.
 */
export interface OpcodeVector {
  readonly mnemonic: string
  /** What the vector shows; with the section where one instruction's page says it. */
  readonly reason: string
  /** Default cs_5_0. */
  readonly model?: string
  readonly declares?: string
  readonly body: string
  /** Made anew for each run. `memory` is what the program changes. */
  readonly bind?: () => { readonly bindings: Bindings; readonly memory?: Storage }
  readonly result?: readonly number[]
  /** Dwords from the start of `memory`. */
  readonly memory?: readonly number[]
  /** Codes of the diagnostics, in order; none where left out. */
  readonly codes?: readonly string[]
  /** The program cannot be loaded, for this reason, at the statement of the vector's instruction. */
  readonly refused?: string
  readonly stopped?: DispatchResult['stopped']
  readonly options?: RunOptions
}

const BITS = new Uint32Array(1)
const FLOATS = new Float32Array(BITS.buffer)
/** The bits of a float32. */
export function f(value: number): number {
  FLOATS[0] = value
  return BITS[0]!
}
export const floats = (...values: number[]): number[] => values.map(f)

export function textOf(vector: OpcodeVector): string {
  const ranged = vector.model === 'cs_5_1'
  return `${vector.model ?? 'cs_5_0'}
dcl_globalFlags refactoringAllowed
${vector.declares ?? ''}
${ranged ? 'dcl_uav_raw U7[7:7], space=0' : 'dcl_uav_raw u7'}
dcl_temps 8
dcl_thread_group 1, 1, 1
mov r1.xyzw, l(7, 7, 7, 7)
${vector.body}
store_raw ${ranged ? 'U7[7]' : 'u7'}.xyzw, l(0), r1.xyzw
ret
`
}

/** Mnemonics by statement of a program; declarations included. */
function mnemonicAt(program: Program, statement: number): string | undefined {
  const s = program.statements[statement]
  return s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.mnemonic : undefined
}

/** A label is a place: it is reached where the statement after it is executed. */
function labelBefore(program: Program, statement: number): string | undefined {
  const s = program.statements[statement - 1]
  const row = s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  return row?.traits.kind === 'flow' && row.traits.action === 'label' ? row.mnemonic : undefined
}

/** What ran, by mnemonic: collected from the statements of the assembled program that the engine says it executed. */
export interface Ran {
  readonly executed: ReadonlySet<string>
  readonly refused: { readonly code: string; readonly mnemonic: string | undefined } | undefined
  readonly result: number[]
  readonly memory: number[]
  readonly run: DispatchResult | undefined
}

function refusalOf(program: Program, error: unknown): Ran['refused'] {
  if (!(error instanceof ShaderError)) throw error
  const [first] = error.diagnostics
  const index = first?.place?.kind === 'statement' ? first.place.index : -1
  return { code: first?.code ?? '', mnemonic: mnemonicAt(program, index) }
}

export function runVector(vector: OpcodeVector): Ran {
  const program = programOf(textOf(vector))
  const out = valueOrThrow(createBuffer({ byteLength: 16 }))
  const { bindings, memory } = vector.bind?.() ?? { bindings: {} }
  const executed = new Set<string>()
  const observer: Observer = {
    instruction: (wave) => {
      const found = [mnemonicAt(program, wave.statement), labelBefore(program, wave.statement)]
      for (const mnemonic of found) if (mnemonic !== undefined) executed.add(mnemonic)
    },
  }
  const all = { ...bindings, u7: createUav(out, { raw: true }) }
  const words = (): Pick<Ran, 'result' | 'memory'> => ({
    result: Array.from(out.storage.words.subarray(0, 4)),
    memory: memory === undefined ? [] : Array.from(memory.words),
  })
  try {
    const run = runProgram(program, all, { ...vector.options, observer })
    return { executed, refused: undefined, run, ...words() }
  } catch (error) {
    return { executed, refused: refusalOf(program, error), run: undefined, ...words() }
  }
}

const hex = (words: readonly number[]): string[] => words.map((w) => `0x${(w >>> 0).toString(16).padStart(8, '0')}`)

/** Runs the vectors, one test an instruction. */
export function checkVectors(vectors: readonly OpcodeVector[]): void {
  it.each([...new Set(vectors.map((v) => v.mnemonic))])('%s', (mnemonic) => {
    for (const vector of vectors) if (vector.mnemonic === mnemonic) checkVector(vector)
  })
}

export function checkVector(vector: OpcodeVector): void {
  const ran = runVector(vector)
  const label = `${vector.mnemonic}: ${vector.reason}`
  if (vector.refused !== undefined) {
    expect({ label, refused: ran.refused }).toEqual({
      label,
      refused: { code: vector.refused, mnemonic: vector.mnemonic },
    })
    return
  }
  expect({ label, refused: ran.refused, executed: ran.executed.has(vector.mnemonic) }).toEqual({
    label,
    refused: undefined,
    executed: true,
  })
  const codes = ran.run?.diagnostics.map((d) => d.code)
  expect({ label, codes, stopped: ran.run?.stopped }).toEqual({
    label,
    codes: vector.codes ?? [],
    stopped: vector.stopped,
  })
  if (vector.result !== undefined) expect([label, ...hex(ran.result)]).toEqual([label, ...hex(vector.result)])
  if (vector.memory !== undefined) {
    expect([label, ...hex(ran.memory.slice(0, vector.memory.length))]).toEqual([label, ...hex(vector.memory)])
  }
}
