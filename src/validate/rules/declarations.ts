import type { DiagnosticDetails } from '../../diagnostic/index.ts'
import { CUSTOM_DATA, FILE, type OperandSlot, registerFile } from '../../isa/index.ts'
import { isPlainlyIndexed, type Operand, writeMask } from '../../program/index.ts'
import { bindingDeclaration, registerDeclaration, tempsAdvice, type Uses, undeclaredAdvice } from '../advice.ts'
import {
  accessedBinding,
  alsoAt,
  type Binding,
  bindingKey,
  bindingOf,
  eachOperand,
  formOf,
  type Phase,
  type ProgramContext,
  parameter,
  place,
  type RegisterDeclaration,
  registerKey,
  type Site,
} from '../context.ts'
import { componentsRead, immediateIndex, indexRegister, maskText, positionsRead, registerText } from '../operand.ts'
import { instructionRule, MAX_FINDINGS_PER_RULE, programRule, type Report, type Rule } from '../rule.ts'

const isDeclaration = (site: Site): boolean => formOf(site.row) !== undefined

/** Visits every register that an instruction uses, those inside indices as well. Declarations use none. */
function eachUse(
  context: ProgramContext,
  visit: (operand: Operand, site: Site, i: number, slot: OperandSlot | undefined) => void,
): void {
  const inside = (operand: Operand, site: Site, i: number): void => {
    if (isPlainlyIndexed(operand)) return
    for (const index of operand.indices) {
      const register = indexRegister(index)
      if (register === undefined) continue
      visit(register, site, i, undefined)
      inside(register, site, i)
    }
  }
  eachOperand(context, (operand, slot, site, i) => {
    if (isDeclaration(site)) return
    visit(operand, site, i, slot)
    inside(operand, site, i)
  })
}

const phaseOf = (context: ProgramContext, site: Site): Phase => context.phases[site.phase]!

/** Components of a register that an operand reads or writes for certain. */
function componentsUsed(context: ProgramContext, operand: Operand, site: Site, slot: OperandSlot | undefined): number {
  if (slot === undefined) return componentsRead(operand, 1)
  if (slot.role === 'dest') return writeMask(operand)
  const dimension = slot.role === 'address' ? accessedBinding(context, site)?.dimension : undefined
  return componentsRead(operand, positionsRead(site.row, slot, site.instruction, dimension))
}

/** Inputs and outputs that are declared register by register. */
const VERTEX_DATA: ReadonlySet<number> = new Set([
  FILE.input,
  FILE.output,
  FILE['input-control-point'],
  FILE['output-control-point'],
  FILE['patch-constant'],
])

const VECTOR_IDS: ReadonlySet<number> = new Set([
  FILE['thread-id'],
  FILE['thread-group-id'],
  FILE['thread-id-in-group'],
  FILE['domain-point'],
])

function isDeclaredFile(operand: Operand): boolean {
  const file = registerFile(operand.type)
  if (file === undefined || file.name === 'null') return false
  if (file.name === 'function-input' || file.name === 'function-output') return false
  return file.class === 'input' || file.class === 'output'
}

/** Components declared for a register, in the stream that has most of them. */
function declaredMask(phase: Phase, file: number, register: number): number {
  let mask = 0
  for (let stream = 0; stream < 4; stream++) mask |= phase.declaredMasks.get(registerKey(file, register, stream)) ?? 0
  return mask
}

/** Where a register of vertex data is declared first. */
function declaredAt({ inputs, outputs }: Phase, file: number, register: number): DiagnosticDetails {
  const is = (d: RegisterDeclaration): boolean => d.operand.type === file && d.register === register
  const first = inputs.find(is) ?? outputs.find(is)
  return first === undefined ? {} : alsoAt(first.site, DECLARED)
}

const DECLARED = 'it is declared here'
const DECLARED_FIRST = 'it is declared here first'
/** What is declared once may be said once. */
const twice = (first: Site | undefined): DiagnosticDetails => {
  return { ...(first === undefined ? {} : alsoAt(first, DECLARED_FIRST)), fixes: [{ kind: 'remove' }] }
}

/** Gathers uses by cause, so that each is one finding; no more causes than a rule reports. */
function gather(
  { faulty }: ProgramContext,
  uses: Map<string, Uses>,
  key: string,
  operand: Operand,
  site: Site,
  i: number,
): Uses {
  faulty.add(site.index)
  let known = uses.get(key)
  if (known === undefined) {
    known = { site, operand, i, count: 0, mask: 0, elements: 0, isIndexed: false }
    if (uses.size <= MAX_FINDINGS_PER_RULE) uses.set(key, known)
  }
  known.count++
  return known
}

function checkVertexData(context: ProgramContext, report: Report): void {
  const undeclared = new Map<string, Uses>()
  eachUse(context, (operand, site, i, slot) => {
    if (!isDeclaredFile(operand)) return
    const count = operand.indices.length
    const register = count === 0 ? 0 : immediateIndex(operand, count - 1)
    if (register === undefined) return
    const declared = declaredMask(phaseOf(context, site), operand.type, register)
    if (declared === 0) {
      const uses = gather(context, undeclared, `${site.phase}:${registerText(operand)}`, operand, site, i)
      // How much of an address counts depends on a resource that may be undeclared itself; its letters say enough.
      uses.mask |= slot?.role === 'address' ? componentsRead(operand, 15) : componentsUsed(context, operand, site, slot)
      return
    }
    if (!VERTEX_DATA.has(operand.type) && !VECTOR_IDS.has(operand.type)) return
    const missing = componentsUsed(context, operand, site, slot) & ~declared
    if (missing === 0) return
    const text = `${registerText(operand)}.${maskText(missing)} is used; only .${maskText(declared)} is declared.`
    report(text, place(site, i), [], declaredAt(phaseOf(context, site), operand.type, register))
  })
  for (const uses of undeclared.values()) {
    const declaration = registerDeclaration(context, uses.operand, uses.mask)
    const { notes, details } = undeclaredAdvice(declaration, uses)
    report(`${registerText(uses.operand)} is used and not declared.`, place(uses.site, uses.i), notes, details)
  }
}

function checkTemps(context: ProgramContext, report: Report): void {
  const undeclared = new Map<string, Uses>()
  eachUse(context, (operand, site, i) => {
    if (operand.type !== FILE.temp) return
    const register = immediateIndex(operand, 0)
    if (register === undefined || register < phaseOf(context, site).tempCount) return
    const uses = gather(context, undeclared, String(site.phase), operand, site, i)
    uses.elements = Math.max(uses.elements, register + 1)
  })
  for (const uses of undeclared.values()) {
    const { temps, tempCount } = phaseOf(context, uses.site)
    const last = temps.findLast((site) => parameter(site, 'count') === tempCount)
    const { notes, details } = tempsAdvice(last, uses)
    const declared = tempCount === 1 ? '1 register' : `${tempCount} registers`
    const text = `${registerText(uses.operand)} is used; dcl_temps declares ${declared}.`
    report(text, place(uses.site, uses.i), notes, details)
  }
}

const rangeKind = (file: number): boolean => VERTEX_DATA.has(file)

/** The axis of a register that index ranges are of: the last; the vertex axis is always indexable. */
function checkIndexRanges(context: ProgramContext, report: Report): void {
  eachUse(context, (operand, site, i) => {
    const index = operand.indices[operand.indices.length - 1]
    if (!rangeKind(operand.type) || index === undefined) return
    if (index.kind !== 'relative' && index.kind !== 'relative-plus') return
    const base = index.kind === 'relative' ? 0 : index.offset
    const ranges = phaseOf(context, site).ranges.filter((r) => r.file === operand.type)
    // A base below the range is what a compiler makes of `a[i - 1]`; only a program without any range is surely wrong.
    if (ranges.length > 0) return
    report(`${registerText(operand)} is indexed (from ${base}) without a declared index range.`, place(site, i))
  })
}

const KIND_OF_BINDING: Readonly<Record<number, string>> = {
  [FILE.resource]: 'resource',
  [FILE.sampler]: 'sampler',
  [FILE.uav]: 'UAV',
  [FILE.tgsm]: 'thread group shared memory',
  [FILE['constant-buffer']]: 'constant buffer',
}

/** What a declaration of a binding must cover of one use. */
function coverBinding(context: ProgramContext, uses: Uses, operand: Operand): void {
  if (operand.type !== FILE['constant-buffer']) return
  const index = operand.indices[elementAxis(context)]
  if (index?.kind === 'immediate') uses.elements = Math.max(uses.elements, index.value + 1)
  else if (index !== undefined) uses.isIndexed = true
}

function checkBindings(context: ProgramContext, report: Report): void {
  const undeclared = new Map<string, Uses>()
  eachUse(context, (operand, site, i) => {
    const kind = KIND_OF_BINDING[operand.type]
    const id = immediateIndex(operand, 0)
    if (kind === undefined || id === undefined) return
    const binding = context.bindingByKey.get(bindingKey(operand.type, id))
    if (binding === undefined) {
      coverBinding(context, gather(context, undeclared, `${operand.type}:${id}`, operand, site, i), operand)
      return
    }
    const register = context.model >= 51 && operand.type !== FILE.tgsm ? immediateIndex(operand, 1) : undefined
    if (register !== undefined && (register < binding.lower || register > binding.upper)) {
      const range = `${binding.lower} to ${binding.upper}`
      report(`Register ${register} is outside the declared range ${range} of this ${kind}.`, place(site, i))
    }
  })
  for (const uses of undeclared.values()) {
    const { operand } = uses
    const declaration = bindingDeclaration(context, operand.type, immediateIndex(operand, 0) ?? 0, uses)
    const text = `${registerText(operand)} is used and no such ${KIND_OF_BINDING[operand.type]} is declared.`
    const { notes, details } = undeclaredAdvice(declaration, uses)
    report(text, place(uses.site, uses.i), notes, details)
  }
}

/** Index of the element of a constant buffer operand. */
const elementAxis = (context: ProgramContext): number => (context.model >= 51 ? 2 : 1)

function checkConstantBuffers(context: ProgramContext, report: Report): void {
  eachUse(context, (operand, site, i) => {
    if (operand.type !== FILE['constant-buffer']) return
    const element = immediateIndex(operand, elementAxis(context))
    const binding = bindingOf(context, operand)
    if (element === undefined || binding === undefined || binding.size === 0 || element < binding.size) return
    const text = `${registerText(operand)} is past the ${binding.size} elements that are declared.`
    report(text, place(site, i), [], alsoAt(binding.site, DECLARED))
  })
}

function checkConstantIndexing(context: ProgramContext, report: Report): void {
  eachUse(context, (operand, site, i) => {
    if (operand.type !== FILE['constant-buffer']) return
    const axis = elementAxis(context)
    const binding = bindingOf(context, operand)
    if (binding === undefined || binding.dynamicallyIndexed || immediateIndex(operand, axis) !== undefined) return
    if (operand.indices.length <= axis) return
    const text = `${registerText(operand)} is indexed by a register; it is declared immediateIndexed.`
    report(text, place(site, i), [], alsoAt(binding.site, DECLARED))
  })
}

/** Elements of the immediate constant buffer; 0 where there is none. */
export function immediateConstantCount({ program }: ProgramContext): number {
  for (const s of program.statements) {
    if (s.kind === 'custom-data' && s.dataClass === CUSTOM_DATA.immediateConstantBuffer) return s.dwords.length / 4
  }
  return 0
}

/** Two declarations that claim the same register components. */
function checkOverlap(declarations: readonly RegisterDeclaration[], report: Report): void {
  const seen = new Map<number, { mask: number; readonly all: RegisterDeclaration[] }>()
  for (const d of declarations) {
    const key = registerKey(d.operand.type, d.register, d.stream)
    const before = seen.get(key) ?? { mask: 0, all: [] }
    seen.set(key, before)
    const both = before.mask & d.mask
    const first = before.all.find((b) => (b.mask & both) !== 0)
    before.mask |= d.mask
    before.all.push(d)
    if (both === 0) continue
    const text = d.operand.indices.length === 0 ? '' : `.${maskText(both)}`
    // Where it declares more than was declared before, it cannot go as a whole.
    const details =
      first?.mask === d.mask ? twice(first.site) : first === undefined ? {} : alsoAt(first.site, DECLARED_FIRST)
    report(`${registerText(d.operand)}${text} is declared a second time.`, place(d.site, 0), [], details)
  }
}

const duplicateKey = (b: Binding): number => bindingKey(b.file, b.id)

export const DECLARATION_RULES: readonly Rule[] = [
  instructionRule('validate-undeclared-temp', checkTemps),
  instructionRule('validate-undeclared-array', (context, report) => {
    const undeclared = new Map<string, Uses>()
    eachUse(context, (operand, site, i) => {
      const array = immediateIndex(operand, 0)
      if (operand.type !== FILE['indexable-temp'] || array === undefined) return
      if (!phaseOf(context, site).arrays.has(array))
        gather(context, undeclared, `${site.phase}:${array}`, operand, site, i)
    })
    for (const uses of undeclared.values()) {
      const { notes } = undeclaredAdvice(undefined, uses)
      report(`x${immediateIndex(uses.operand, 0)} is used and not declared.`, place(uses.site, uses.i), notes)
    }
  }),
  instructionRule('validate-array-bounds', (context, report) => {
    eachUse(context, (operand, site, i) => {
      if (operand.type !== FILE['indexable-temp']) return
      const [array, element] = [immediateIndex(operand, 0), immediateIndex(operand, 1)]
      const declared = array === undefined ? undefined : phaseOf(context, site).arrays.get(array)
      if (declared === undefined || element === undefined || element < declared.count) return
      const text = `x${array}[${element}] is past the ${declared.count} elements that are declared.`
      report(text, place(site, i), [], alsoAt(declared.site, DECLARED))
    })
  }),
  instructionRule('validate-undeclared-register', checkVertexData),
  instructionRule('validate-index-range-missing', checkIndexRanges),
  instructionRule('validate-undeclared-binding', checkBindings),
  instructionRule('validate-constant-bounds', checkConstantBuffers),
  instructionRule('validate-constant-indexing', checkConstantIndexing),
  instructionRule('validate-immediate-constant-bounds', (context, report) => {
    const count = immediateConstantCount(context)
    eachUse(context, (operand, site, i) => {
      if (operand.type !== FILE['immediate-constant-buffer']) return
      const element = immediateIndex(operand, 0)
      if (count === 0) report('The program has no immediate constant buffer.', place(site, i))
      else if (element !== undefined && element >= count) {
        report(`icb[${element}] is past its ${count} elements.`, place(site, i))
      }
    })
  }),
  programRule('validate-duplicate-binding', ({ bindings, bindingByKey }, report) => {
    for (const b of bindings) {
      const first = bindingByKey.get(duplicateKey(b))
      if (first === b) continue
      const text = `${registerText(b.site.instruction.operands[0]!)} is declared a second time.`
      report(text, place(b.site, 0), [], twice(first?.site))
    }
  }),
  programRule('validate-duplicate-register', ({ phases }, report) => {
    for (const phase of phases) {
      checkOverlap(phase.inputs, report)
      checkOverlap(phase.outputs, report)
    }
  }),
  programRule('validate-duplicate-declaration', ({ phases, sites }, report) => {
    for (const phase of phases) {
      const [first, ...others] = phase.temps
      for (const site of others) report('dcl_temps is there a second time.', place(site), [], twice(first))
    }
    const arrays = new Map<string, Site>()
    const once = new Map<string, Site>()
    for (const site of sites) {
      const form = formOf(site.row)
      if (form === 'indexable-temp') {
        const key = `${site.phase}:${parameter(site, 'register')}`
        const first = arrays.get(key)
        if (first === undefined) arrays.set(key, site)
        else report(`x${parameter(site, 'register')} is declared a second time.`, place(site), [], twice(first))
      } else if (form === 'global-flags' || form === 'thread-group') {
        const first = once.get(form)
        if (first === undefined) once.set(form, site)
        else report(`${site.row.mnemonic} is there a second time.`, place(site), [], twice(first))
      }
    }
  }),
  programRule('validate-declaration-order', ({ phases }, report) => {
    for (const phase of phases) {
      let code = false
      for (const site of phase.sites) {
        const { traits } = site.row
        if (traits.kind === 'declaration') {
          if (code) report(`${site.row.mnemonic} stands after the first instruction.`, place(site))
        } else if (traits.kind !== 'phase' && traits.kind !== 'nop') code = true
      }
    }
  }),
  programRule('validate-unwritten-temp', (context, report) => {
    const written = new Set<number>()
    for (const site of context.sites) {
      const { operands: slots } = site.row
      for (let i = 0; i < slots.length; i++) {
        const operand = site.instruction.operands[i]
        if (slots[i]!.role !== 'dest' || operand?.type !== FILE.temp) continue
        const register = immediateIndex(operand, 0)
        if (register !== undefined && writeMask(operand) !== 0) written.add(register)
      }
    }
    if (context.damaged) return
    const unwritten = new Map<string, Uses>()
    eachUse(context, (operand, site, i, slot) => {
      const register = immediateIndex(operand, 0)
      if (operand.type !== FILE.temp || register === undefined || slot?.role === 'dest') return
      // A component alone may be one that the compiler has found to be multiplied away; a register as a whole may not.
      if (written.has(register)) return
      const used = componentsUsed(context, operand, site, slot)
      if (used === 0) return
      gather(context, unwritten, String(register), operand, site, i).mask |= used
    })
    for (const uses of unwritten.values()) {
      const { operand, mask, site, i } = uses
      const text = `${registerText(operand)}.${maskText(mask)} is read, and nothing writes ${registerText(operand)}.`
      report(text, place(site, i), undeclaredAdvice(undefined, uses).notes)
    }
  }),
]
