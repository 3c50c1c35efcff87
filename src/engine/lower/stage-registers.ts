import { FILE, registerFile } from '../../isa/index.ts'
import type { Operand } from '../../program/index.ts'
import type { Declarations } from '../declarations.ts'
import type { AccessAddress, Value } from '../ir/index.ts'
import { blockOf, type EntryLayout, entryLayout, type RegisterBlock, slotOf } from '../register-layout.ts'
import { type Structure, walk } from './blocks.ts'
import type { StageRegisters, Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/**
 * Inputs and outputs of graphics stages as values: an input is a value of its invocation, an output a variable that is
 * stored at the end. Outputs that some instruction chooses by an index live in the batch's memory.
 */

/** The value of an index, as operand.ts reads it. */
type ReadIndex = (t: Translation, index: Operand['indices'][number]) => Value

/** Vertex and register that an operand names, as indices of its register file. */
interface NamedIndices {
  readonly vertex: Operand['indices'][number] | undefined
  readonly register: Operand['indices'][number] | undefined
}

function namedIndices(operand: Operand, block: RegisterBlock): NamedIndices {
  const hasRegister = registerFile(operand.type)!.indices[1] > 0
  const expected = (block.byVertex ? 1 : 0) + (hasRegister ? 1 : 0)
  const { indices } = operand
  if (indices.length !== expected) throw new Unsupported('a register does not have the indices of its declaration', 0)
  return {
    vertex: block.byVertex ? indices[0] : undefined,
    register: hasRegister ? indices[expected - 1] : undefined,
  }
}

const isComputed = (index: Operand['indices'][number] | undefined): boolean =>
  index !== undefined && index.kind !== 'immediate'

/** The number of an index that is an immediate; 0 where the register has none. */
const numberOf = (index: Operand['indices'][number] | undefined): number =>
  index?.kind === 'immediate' ? index.value : 0

/** Registers of an entry of a graphics shader; its outputs come behind the other variables. */
export function stageRegisters(
  declarations: Declarations,
  structure: Structure,
  entry: number,
  firstVariable: number,
): StageRegisters | undefined {
  const { stage, entries } = declarations
  if (stage.kind === 'compute') return undefined
  const layout = entryLayout(entries[entry]!)
  const isInMemory = indexesOutputs(structure, layout)
  const stores = firstVariable + (isInMemory ? 0 : layout.outputs.slotCount)
  const hasEffects = stage.kind === 'pixel' || stage.kind === 'geometry'
  return {
    layout,
    outputVariables: isInMemory ? undefined : firstVariable,
    keepsOutputs: stage.kind === 'hull',
    effects: hasEffects ? { stores, emitted: stores + 1, cuts: stores + 2 } : undefined,
  }
}

/** Whether an instruction chooses an output by an index. */
function indexesOutputs(structure: Structure, layout: EntryLayout): boolean {
  let found = false
  for (const nodes of [structure.main, ...structure.subroutines.values()]) {
    walk(nodes, (node) => {
      if (node.kind !== 'op') return
      node.row.operands.forEach((slot, n) => {
        const operand = node.instruction.operands[n]
        const block = slot.role === 'dest' && operand !== undefined ? blockOf(layout.outputs, operand.type) : undefined
        if (block !== undefined && isComputed(namedIndices(operand!, block).register)) found = true
      })
    })
  }
  return found
}

/** The address of a word of the batch: a slot that is known, or one that a value chooses among those of a block. */
function wordAddress(
  t: Translation,
  part: 'inputs' | 'outputs',
  slot: number,
  chosen: { readonly slots: Value; readonly valid: Value } | undefined,
): AccessAddress {
  const o = t.builder
  const columnBytes = o.options.threads[0] * 4
  const thread = o.shiftLeft(o.make('threadInGroup', [], 0), o.constant(2))
  const offset = chosen === undefined ? thread : o.i32Add(o.i32Mul(chosen.slots, o.constant(columnBytes)), thread)
  const space = { kind: 'batch', part, byteOffset: slot * columnBytes, everyLane: chosen === undefined } as const
  return { space, index: undefined, offset, stride: 0, valid: o.constant(0xffffffff) }
}

/** Slots from the first of a block on to a register of a vertex, and whether it is in the block; a finding where not. */
function chosenSlots(
  t: Translation,
  operand: Operand,
  block: RegisterBlock,
  details: { readonly access: 'load' | 'store'; readonly component?: number },
  read: ReadIndex,
): { readonly slots: Value; readonly valid: Value } {
  const o = t.builder
  const { vertex, register } = namedIndices(operand, block)
  const v = vertex === undefined ? o.constant(0) : read(t, vertex)
  const r = register === undefined ? o.constant(block.firstRegister) : read(t, register)
  const inBlock = o.i32Sub(r, o.constant(block.firstRegister))
  const hasVertex = o.u32Less(v, o.constant(block.vertexCount))
  const hasRegister = o.u32Less(inBlock, o.constant(block.registerCount))
  const reason = 'register-bounds' as const
  // As on the reference engine, findings of stores name the index in the block, those of loads the register.
  const limit = details.access === 'store' ? block.registerCount : block.firstRegister + block.registerCount
  const bad = o.not(o.and(hasVertex, hasRegister))
  const address = o.select(hasVertex, details.access === 'store' ? inBlock : r, v)
  const limits = o.select(hasVertex, o.constant(limit), o.constant(block.vertexCount))
  t.report(operand, { reason, defined: false, bad, address, limit: limits }, details)
  const slots = o.shiftLeft(o.i32Add(o.i32Mul(v, o.constant(block.registerCount)), inBlock), o.constant(2))
  const valid = o.and(hasVertex, hasRegister)
  return { slots: o.and(slots, valid), valid }
}

/** The word of an input register. */
export function readInput(t: Translation, operand: Operand, component: number, read: ReadIndex): Value {
  const o = t.builder
  const block = t.stage === undefined ? undefined : blockOf(t.stage.layout.inputs, operand.type)
  if (block === undefined) throw new Unsupported(`register file ${operand.type} is not compiled`, 0)
  const { vertex, register } = namedIndices(operand, block)
  if (!isComputed(vertex) && !isComputed(register)) {
    const slot = slotOf(
      block,
      numberOf(vertex),
      register === undefined ? block.firstRegister : numberOf(register),
      component,
    )
    if (slot < 0) throw new Unsupported('an input register is not declared', 0)
    return o.make('input', [], slot)
  }
  const chosen = chosenSlots(t, operand, block, { access: 'load', component }, read)
  const results = [o.result(0)]
  const address = wordAddress(t, 'inputs', block.firstSlot + component, chosen)
  o.push({ kind: 'load', statement: o.statement, address, components: [0], dwords: [0], results })
  return o.select(chosen.valid, results[0]!, o.constant(0))
}

/** The variable of an output component; undefined for what is no output, or one in memory. */
export function outputVariable(t: Translation, operand: Operand, component: number): number | undefined {
  const { stage } = t
  const block = stage === undefined ? undefined : blockOf(stage.layout.outputs, operand.type)
  if (block === undefined || stage?.outputVariables === undefined) return undefined
  return stage.outputVariables + slotOfOutput(operand, block, component)
}

function slotOfOutput(operand: Operand, block: RegisterBlock, component: number): number {
  const { register } = namedIndices(operand, block)
  const slot = slotOf(block, 0, register === undefined ? block.firstRegister : numberOf(register), component)
  if (slot < 0) throw new Unsupported('an output register is not declared', 0)
  return slot
}

/** What assigns one component of an output in memory; undefined for what is no output. */
export function outputWriter(
  t: Translation,
  operand: Operand,
  component: number,
  read: ReadIndex,
): ((value: Value) => void) | undefined {
  const block = t.stage === undefined ? undefined : blockOf(t.stage.layout.outputs, operand.type)
  if (block === undefined) return undefined
  const isChosen = isComputed(namedIndices(operand, block).register)
  const chosen = isChosen ? chosenSlots(t, operand, block, { access: 'store' }, read) : undefined
  const slot = isChosen ? block.firstSlot + component : slotOfOutput(operand, block, component)
  const { space, ...address } = wordAddress(t, 'outputs', slot, chosen)
  // Other lanes may have their words there from before.
  const written = { ...address, space: { ...space, everyLane: false } as typeof space }
  return (value) => {
    const store = (): void =>
      t.builder.push({ kind: 'store', statement: t.builder.statement, address: written, values: [value] })
    if (chosen === undefined) store()
    else t.choose(chosen.valid, store, () => {})
  }
}

/** The values that the variables of effects begin with: helpers have none. */
export function firstEffects(t: Translation, { layout, effects }: StageRegisters): Value[] {
  const o = t.builder
  if (effects === undefined) return []
  const isPixel = t.declarations.stage.kind === 'pixel'
  const stores = isPixel ? o.not(o.make('input', [], layout.inputs.slotCount)) : o.constant(0xffffffff)
  return [stores, o.constant(0), o.constant(0)]
}

/** The values that outputs begin with, by slot; none where they are in memory. */
export function firstOutputs(t: Translation, { layout, keepsOutputs, outputVariables }: StageRegisters): Value[] {
  const o = t.builder
  if (outputVariables === undefined) return []
  return Array.from({ length: layout.outputs.slotCount }, (_, slot) =>
    keepsOutputs ? storedOutput(t, slot, 0) : o.constant(0),
  )
}

/** The word of an output in memory. */
function storedOutput(t: Translation, slot: number, statement: number): Value {
  const results = [t.builder.result(0)]
  const address = wordAddress(t, 'outputs', slot, undefined)
  t.builder.push({ kind: 'load', statement, address, components: [0], dwords: [0], results })
  return results[0]!
}

/** The words of all outputs as they are now, which is what an emit sends. */
export function currentOutputs(t: Translation): readonly Value[] {
  const { layout, outputVariables } = t.stage!
  return Array.from({ length: layout.outputs.slotCount }, (_, slot) =>
    outputVariables === undefined ? storedOutput(t, slot, t.builder.statement) : t.variables[outputVariables + slot]!,
  )
}

/** Stores what the outputs are at the end of the program, and which pixels were not discarded or how many vertices were emitted. */
export function storeOutputs(t: Translation, { layout, outputVariables, effects }: StageRegisters): void {
  const { kind } = t.declarations.stage
  const store = (slot: number, variable: number): void => {
    const address = wordAddress(t, 'outputs', slot, undefined)
    t.builder.push({ kind: 'store', statement: t.builder.statement, address, values: [t.variables[variable]!] })
  }
  const { slotCount } = layout.outputs
  if (effects !== undefined) store(slotCount, kind === 'pixel' ? effects.stores : effects.emitted)
  if (outputVariables === undefined || kind === 'geometry') return
  for (let slot = 0; slot < slotCount; slot++) store(slot, outputVariables + slot)
}

/** Whether the registers of a file are outputs of the entry. */
export const isOutputFile = (t: Translation, file: number): boolean =>
  t.stage !== undefined && file !== FILE.temp && blockOf(t.stage.layout.outputs, file) !== undefined
