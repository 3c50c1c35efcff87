import { controlOf, DYNAMICALLY_INDEXED, FILE } from '../../isa/index.ts'
import { formOf, type ProgramContext, parameter, place, type Site } from '../context.ts'
import { flowAction } from '../flow-tree.ts'
import { immediateIndex, isRelative } from '../operand.ts'
import { instructionRule, programRule, type Rule } from '../rule.ts'

const MAX_OBJECTS = 253
const MAX_CALL_SITES = 4096

interface Interface {
  readonly site: Site
  readonly first: number
  /** Pointers in the array. */
  readonly count: number
  readonly callSites: number
  readonly tables: readonly number[]
  readonly dynamic: boolean
}

/** The low half of `lengths` counts the tables, the high half the pointers of the array. */
function interfacesOf(context: ProgramContext): readonly Interface[] {
  const declared = context.sites.filter((site) => formOf(site.row) === 'interface')
  return declared.map((site): Interface => {
    const [first = 0, callSites = 0, lengths = 0, ...tables] = site.instruction.parameters
    const dynamic = controlOf(site.instruction.controls, DYNAMICALLY_INDEXED) === 1
    return { site, first, callSites, tables, count: lengths >>> 16, dynamic }
  })
}

interface Table {
  readonly site: Site
  readonly bodies: readonly number[]
}

function tablesOf(context: ProgramContext): ReadonlyMap<number, Table> {
  const tables = new Map<number, Table>()
  for (const site of context.sites) {
    if (formOf(site.row) !== 'function-table') continue
    const [table = 0, , ...bodies] = site.instruction.parameters
    if (!tables.has(table)) tables.set(table, { site, bodies })
  }
  return tables
}

function declaredBodies(context: ProgramContext): ReadonlyMap<number, Site> {
  const bodies = new Map<number, Site>()
  for (const site of context.sites) {
    const body = parameter(site, 'body')
    if (formOf(site.row) === 'function-body' && body !== undefined && !bodies.has(body)) bodies.set(body, site)
  }
  return bodies
}

/** The interface whose array holds the pointer that a call names. */
function calledInterface(interfaces: readonly Interface[], pointer: number): Interface | undefined {
  return interfaces.find((i) => pointer >= i.first && pointer < i.first + Math.max(1, i.count))
}

const MAX_INTERFACES = 1024

export const FUNCTION_RULES: readonly Rule[] = [
  instructionRule('validate-function-list', ({ sites }, report) => {
    for (const site of sites) {
      const form = formOf(site.row)
      const { parameters } = site.instruction
      if (form === 'function-table' && parameters[1] !== parameters.length - 2) {
        report(`The table says ${parameters[1]} bodies and lists ${parameters.length - 2}.`, place(site))
      } else if (form === 'interface' && ((parameters[2] ?? 0) & 0xffff) !== parameters.length - 3) {
        report(
          `The interface says ${(parameters[2] ?? 0) & 0xffff} tables and lists ${parameters.length - 3}.`,
          place(site),
        )
      }
    }
  }),
  programRule('validate-function-body', (context, report) => {
    const declared = declaredBodies(context)
    const labels = new Set<number>()
    for (const site of context.sites) {
      const operand = site.instruction.operands[0]
      const id = operand === undefined ? undefined : immediateIndex(operand, 0)
      if (flowAction(site) !== 'label' || operand?.type !== FILE['function-body'] || id === undefined) continue
      labels.add(id)
      if (!declared.has(id)) report(`Function body fb${id} is not declared.`, place(site))
    }
    if (context.damaged) return
    for (const [id, site] of declared) {
      if (!labels.has(id)) report(`Function body fb${id} is declared and has no code.`, place(site))
    }
  }),
  programRule('validate-function-table', (context, report) => {
    const declared = declaredBodies(context)
    for (const { site, bodies } of tablesOf(context).values()) {
      const unknown = bodies.find((b) => !declared.has(b))
      if (unknown !== undefined) report(`The table lists fb${unknown}, which is not declared.`, place(site))
    }
  }),
  programRule('validate-interface', (context, report) => {
    const tables = tablesOf(context)
    for (const { site, callSites, tables: listed } of interfacesOf(context)) {
      for (const id of listed) {
        const table = tables.get(id)
        if (table === undefined) report(`The interface lists ft${id}, which is not declared.`, place(site))
        else if (table.bodies.length !== callSites) {
          const text = `ft${id} has ${table.bodies.length} bodies; the interface has ${callSites} call sites`
          report(`${text}.`, place(site))
        }
      }
    }
  }),
  programRule('validate-interface-call', (context, report) => {
    const interfaces = interfacesOf(context).slice(0, MAX_INTERFACES)
    for (const site of context.sites) {
      const operand = site.instruction.operands[0]
      if (flowAction(site) !== 'fcall' || operand === undefined) continue
      const base = immediateIndex(operand, 0)
      const offset = operand.indices[1]
      if (base === undefined) continue
      const called = calledInterface(interfaces, base + (offset?.kind === 'immediate' ? offset.value : 0))
      const callSite = parameter(site, 'callSite') ?? 0
      if (called === undefined) report(`No interface holds pointer fp${base}.`, place(site, 0))
      else if (callSite >= called.callSites) {
        report(`Call site ${callSite} is past the ${called.callSites} of the interface.`, place(site, 0))
      } else if (isRelative(offset) && !called.dynamic) {
        report('The pointer is chosen by a register; the interface is not declared dynamicindexed.', place(site, 0))
      }
    }
  }),
  programRule('validate-interface-limit', (context, report) => {
    const interfaces = interfacesOf(context)
    const objects = interfaces.reduce((sum, i) => sum + i.count, 0)
    const last = interfaces[interfaces.length - 1]
    if (last !== undefined && objects > MAX_OBJECTS) {
      report(`${objects} interface pointers are declared; ${MAX_OBJECTS} are allowed.`, place(last.site))
    }
  }),
  programRule('validate-call-site-limit', (context, report) => {
    const interfaces = interfacesOf(context).slice(0, MAX_INTERFACES)
    let total = 0
    let last: Site | undefined
    for (const site of context.sites) {
      const operand = site.instruction.operands[0]
      const base = operand === undefined ? undefined : immediateIndex(operand, 0)
      if (flowAction(site) !== 'fcall' || operand === undefined || base === undefined) continue
      total += isRelative(operand.indices[1]) ? (calledInterface(interfaces, base)?.count ?? 1) : 1
      last = site
    }
    if (last === undefined || total <= MAX_CALL_SITES) return
    report(`Interface calls have ${total} targets in all; ${MAX_CALL_SITES} are allowed.`, place(last))
  }),
]
