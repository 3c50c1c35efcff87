import { type EntryDeclaration, SYSTEM_VALUE_NUMBER, type WaveSite, type WriteEvent } from '../../engine/index.ts'
import { FILE, registerFile, rowOfOpcode } from '../../isa/index.ts'
import type { Instruction } from '../../program/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { siteOf } from '../report/finding.ts'

/**
 * What an invocation of a draw leaves: outputs that it never wrote, and whether the next stage reads them; positions that
 * are no numbers; depths that break the promise of their declaration.
 */

interface OutputReader {
  readonly stage: string
  readonly masks: ReadonlyMap<number, number>
  /** Of domain shaders: what they read of the patch, which fork and join phases write. */
  readonly patchMasks: ReadonlyMap<number, number>
}

export interface OutputOptions {
  /** Report outputs that were not written. */
  readonly unwritten: boolean
  /** The stage after this one, and the components of each register that it declares to read. */
  readonly reader: OutputReader | undefined
  /** The rasterizer takes positions from this stage. */
  readonly givesPosition: boolean
}

/** An output register with all its declarations. */
interface Output {
  readonly file: number
  readonly register: number
  mask: number
  readonly stream: number
  readonly statement: number
  readonly isPosition: boolean
  /** Written by a fork or join phase. */
  readonly isOfPatch: boolean
  /** Components written, by lane. */
  readonly written: Uint8Array
}

const MAX_LANES = 64
const LETTERS = [...'xyzw']
const componentsOf = (mask: number): string => LETTERS.filter((_, c) => (mask & (1 << c)) !== 0).join('')

const FLOAT = new Float32Array(1)
const WORD = new Int32Array(FLOAT.buffer)
function floatOf(word: number): number {
  WORD[0] = word
  return FLOAT[0]!
}

function outputsOf({ kind, outputs: declared }: EntryDeclaration): Output[] {
  const isOfPatch = kind === 'fork' || kind === 'join'
  const found: Output[] = []
  for (const d of declared) {
    const { file, register, mask, stream, statement } = d
    const isPosition = d.systemValue === SYSTEM_VALUE_NUMBER.position
    const known = found.find((o) => o.file === file && o.register === register && o.stream === stream)
    if (known !== undefined) known.mask |= mask
    else
      found.push({ file, register, mask, stream, statement, isPosition, isOfPatch, written: new Uint8Array(MAX_LANES) })
  }
  return found
}

const nameOf = (o: Output): string => {
  const prefix = registerFile(o.file)?.prefix ?? '?'
  return o.file === FILE.output ? `${prefix}${o.register}` : prefix
}

/** The stream that an instruction emits to; undefined where it emits nothing. */
function emittedStream(i: Instruction): number | undefined {
  const traits = rowOfOpcode(i.opcode)?.traits
  if (traits?.kind !== 'stream' || !traits.emits) return undefined
  const index = i.operands[0]?.indices[0]
  return index?.kind === 'immediate' ? index.value : 0
}

/** Numbers that the depth outputs promise to compare with the rasterizer's depth. */
function breaksPromise(file: number, value: number, depth: number): boolean {
  if (file === FILE['output-depth-greater-equal']) return !(value >= depth)
  if (file === FILE['output-depth-less-equal']) return !(value <= depth)
  return false
}

/** What the functions of one detector share. */
interface OutputCheck {
  readonly context: CheckContext
  readonly options: OutputOptions
  readonly isGeometry: boolean
  /** Outputs of the entry that runs. */
  outputs: readonly Output[]
}

function checkWritten({ context, options, isGeometry }: OutputCheck, o: Output, w: WaveSite, lane: number): void {
  const missing = o.mask & ~o.written[lane]!
  if (missing === 0 || !options.unwritten) return
  const masks = o.isOfPatch ? options.reader?.patchMasks : options.reader?.masks
  const read = o.file === FILE.output ? missing & (masks?.get(o.register) ?? 0) : 0
  const code = read !== 0 ? 'check-input-unwritten' : 'check-output-unwritten'
  if (context.sink.known(code, o.statement, -1, -1)) return
  const name = `${nameOf(o)}.${componentsOf(read === 0 ? missing : read)}`
  const reads = `and the ${options.reader?.stage} shader reads it`
  context.sink.add({
    code,
    severity: read !== 0 ? 'error' : 'warning',
    message: `${name} is declared and not written${isGeometry ? ' before a vertex is emitted' : ''}${read === 0 ? '' : `, ${reads}`}`,
    site: { ...siteOf(w, lane, 'other', 'leaves it unwritten'), statement: o.statement },
    notes: [],
  })
}

function checkPosition({ context, options }: OutputCheck, o: Output, w: WaveSite, lane: number): void {
  if (!options.givesPosition || !o.isPosition) return
  const values = [0, 1, 2, 3].map((c) => floatOf(w.registers.output(o.file, o.register, c, lane)))
  if (!values.some(Number.isNaN) || context.sink.known('check-nan-position', o.statement, -1, -1)) return
  context.sink.add({
    code: 'check-nan-position',
    severity: 'warning',
    message: `the position ${nameOf(o)} is (${values.join(', ')})`,
    site: { ...siteOf(w, lane, 'other', 'gives this position to the rasterizer'), statement: o.statement },
    notes: ['primitives with such a vertex are not drawn, or drawn anywhere'],
  })
}

function checkDepth({ context }: OutputCheck, o: Output, w: WaveSite, lane: number): void {
  const { quads } = w.batch!
  if (quads === undefined || o.written[lane] === 0) return
  const value = floatOf(w.registers.output(o.file, o.register, 0, lane))
  const depth = Math.fround(quads.depth(w.firstThread + lane))
  if (!breaksPromise(o.file, value, depth) || context.sink.known('check-depth-promise', o.statement, -1, -1)) return
  const word = o.file === FILE['output-depth-greater-equal'] ? 'greater than or equal to' : 'less than or equal to'
  context.sink.add({
    code: 'check-depth-promise',
    severity: 'error',
    message: `${nameOf(o)} is ${value}; its declaration promises ${word} the rasterizer's depth, which is ${depth}`,
    site: { ...siteOf(w, lane, 'other', 'writes this depth'), statement: o.statement },
    notes: [],
  })
}

function checkLane(c: OutputCheck, w: WaveSite, lane: number, stream: number): void {
  for (const o of c.outputs) {
    if (o.stream !== stream) continue
    checkWritten(c, o, w, lane)
    checkPosition(c, o, w, lane)
    checkDepth(c, o, w, lane)
  }
}

/** Checks the lanes that emit a vertex; after it all outputs are undefined again, those of other streams too (22.8.3). */
function checkEmit(c: OutputCheck, w: WaveSite, stream: number): void {
  for (let k = 0; k < w.activeCount; k++) {
    const lane = w.lanes[k]!
    checkLane(c, w, lane, stream)
    for (const o of c.outputs) o.written[lane] = 0
  }
}

/** Checks what invocations that have ended leave; of pixels those that are stored. */
function checkEnd(c: OutputCheck, w: WaveSite): void {
  const { quads } = w.batch!
  for (let lane = 0; lane < w.laneCount; lane++) {
    const at = w.firstThread + lane
    if (quads !== undefined && (quads.helpers[at] === 1 || quads.discarded[at] === 1)) continue
    checkLane(c, w, lane, 0)
  }
}

export function detectOutputs(context: CheckContext, options: OutputOptions): Detector {
  const { program, stage, entries } = context.declarations
  const byEntry = entries.map((e) => outputsOf(e))
  const emits = program.statements.map((s) => (s.kind === 'instruction' ? emittedStream(s) : undefined))
  const check: OutputCheck = { context, options, isGeometry: stage.kind === 'geometry', outputs: [] }
  let wave: WaveSite | undefined

  const onInstruction = (w: WaveSite): void => {
    if (wave === undefined) {
      wave = w
      check.outputs = byEntry[w.batch!.entry] ?? []
      for (const o of check.outputs) o.written.fill(0)
    }
    const stream = emits[w.statement]
    if (stream !== undefined) checkEmit(check, w, stream)
  }

  const onWrite = (event: WriteEvent): void => {
    if (event.file !== 'output') return
    const w = event.wave
    const s = program.statements[w.statement]
    const file = s?.kind === 'instruction' ? s.operands[event.operand]?.type : undefined
    for (const o of check.outputs) {
      // A computed index may name any register of the file.
      const isHit = o.file === file && (event.register < 0 || o.register === event.register)
      if (!isHit) continue
      for (let k = 0; k < w.activeCount; k++) o.written[w.lanes[k]!]! |= event.mask
    }
  }

  const onEnd = (): void => {
    const w = wave
    wave = undefined
    if (w !== undefined && !check.isGeometry) checkEnd(check, w)
  }

  return { observer: { instruction: onInstruction, write: onWrite, groupEnd: onEnd } }
}
