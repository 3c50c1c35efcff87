/** What a frame shows: variables by what they are, registers, lanes, shared memory, the wave. */
import { lanesOf, type Thread } from '../debug/index.ts'
import type { WaveState } from '../engine/index.ts'
import { printSlot, slotOfKey } from '../machine/index.ts'
import type { SourceValue, SourceVariable, ValueFormat, ValueState, VariableKind } from '../source/index.ts'
import { laneAt, laneStatus, rangesText, statusText } from './lanes.ts'
import { placeText } from './places.ts'
import type { DebuggedDraw, DebuggedRun } from './run.ts'
import { stateOfGroup, stateOfMemory, viewOfOperand } from './state.ts'
import { listNode, textNode, type ValueNode, type ValueReader, valueNode } from './values.ts'

export interface Scope {
  readonly name: string
  readonly hint?: 'arguments' | 'locals' | 'registers'
  /** Large, or slow to read: clients show it closed. */
  readonly isExpensive: boolean
  readonly node: ValueNode
}

/** Elements of what a value of the kind `object` names. */
function elementCountOf(run: DebuggedRun, value: SourceValue): number {
  const { home } = value
  if (home.kind !== 'memory' || home.file === 'tgsm') return 0
  const view = viewOfOperand({ declarations: run.declarations, bindings: run.source.bindings }, home.file, home.indices)
  if (view === undefined || view.shape === 'texture') return 0
  return view.shape === 'raw' ? Math.floor(view.byteLength / 4) : view.elementCount
}

/** Reads values for a thread; undefined where its group is not in flight. Where none is, at the end of the run, memory is left. */
export function readerFor(run: DebuggedRun, thread: Thread, format?: ValueFormat): ValueReader | undefined {
  const { groups } = run.timeLine
  const found = laneAt(groups, thread)
  if (found === undefined && groups.length > 0) return undefined
  const source = { declarations: run.declarations, bindings: run.source.bindings }
  const state: ValueState =
    found === undefined ? stateOfMemory(source) : stateOfGroup(source, found.wave.group, run.timeLine.undefinedMoment)
  return { source, state, thread, format, elementCount: (value) => elementCountOf(run, value) }
}

function ofKinds(
  r: ValueReader,
  variables: readonly SourceVariable[],
  kinds: readonly VariableKind[],
  frame?: number,
): readonly ValueNode[] {
  return variables
    .filter((v) => kinds.includes(v.kind) && (frame === undefined || v.frame === undefined || v.frame === frame))
    .map((v) => valueNode(r, v))
}

function constantNodes(r: ValueReader, variables: readonly SourceVariable[]): readonly ValueNode[] {
  const buffers = new Map<string, SourceVariable[]>()
  for (const v of variables) {
    if (v.kind !== 'constant') continue
    const name = v.buffer ?? ''
    const members = buffers.get(name) ?? []
    members.push(v)
    buffers.set(name, members)
  }
  return [...buffers].map(([name, members]) =>
    listNode(
      name,
      'constant buffer',
      members.map((v) => valueNode(r, v)),
    ),
  )
}

/** Bound textures, samplers and views that the reflection does not name. */
function bindingNodes({ source, slotNames }: DebuggedRun, known: ReadonlySet<string>): readonly ValueNode[] {
  const found: ValueNode[] = []
  for (const register of ['t', 'u'] as const) {
    for (const [key, view] of source.bindings[register]) {
      const name = printSlot(slotOfKey(register, key))
      if (known.has(slotNames.get(name) ?? name)) continue
      const text =
        view.shape === 'texture'
          ? `${view.dimension} ${view.format.name}`
          : `${view.shape} buffer of ${view.byteLength} bytes`
      found.push({ ...textNode(name, text), memory: `${name}+0x0` })
    }
  }
  return found
}

const MAX_PAGE = 1024

/** A row for each lane of the group: its place, and what the frame's variables are in it. */
function allLanes(run: DebuggedRun, wave: WaveState, names: readonly string[]): ValueNode {
  const threads = wave.group.waves.flatMap((w) => Array.from({ length: w.laneCount }, (_, l) => w.firstThread + l))
  const { position } = wave.group
  return {
    name: 'All lanes',
    value: `${threads.length} threads`,
    indexedCount: threads.length,
    namedCount: 0,
    children: (start, count) =>
      threads.slice(start, start + Math.min(count, MAX_PAGE)).map((thread): ValueNode => {
        const own = laneAt(run.timeLine.groups, { group: position, thread })
        const status = own === undefined ? 'ended' : laneStatus(own.wave, own.lane)
        const value = own === undefined ? 'ended' : statusText(run, { wave: own.wave, status })
        const rows = (): readonly ValueNode[] => {
          const r = readerFor(run, { group: position, thread })
          if (r === undefined || own === undefined) return []
          return run.map
            .variablesAt(own.wave.statement)
            .filter((v) => names.includes(v.name))
            .map((v) => valueNode(r, v))
        }
        return {
          name: `[${thread}]`,
          value,
          indexedCount: 0,
          namedCount: names.length,
          children: (s, n) => rows().slice(s, s + n),
        }
      }),
  }
}

function waveNode(run: DebuggedRun, wave: WaveState): ValueNode {
  const own = (set: WaveState['active']): string => rangesText(lanesOf(set).map((l) => wave.firstThread + l)) || 'none'
  const frames = wave.frames()
  return listNode('Wave', `wave ${wave.wave}`, [
    textNode('clock', `${run.timeLine.clock}`),
    textNode('wave', `${wave.wave} of ${wave.group.waves.length}`),
    textNode('status', wave.status),
    textNode('next', placeText(run, wave.statement)),
    textNode('active threads', own(wave.active)),
    textNode('ended threads', own(wave.ended)),
    textNode('barrier', wave.barrier === undefined ? 'none' : placeText(run, wave.barrier)),
    textNode('barriers passed', `${wave.group.epoch}`),
    textNode('open blocks', `${frames.filter((f) => f.call === undefined).length}`),
    textNode('calls', `${wave.callDepth}`),
  ])
}

const LOCALS: readonly VariableKind[] = ['local', 'return', 'static']

/** The statement at which names are looked up where nothing runs any more. */
export const lastStatement = ({ program }: Pick<DebuggedRun, 'program'>): number => program.statements.length - 1

/** Constants and resources, which are there when no thread runs any more. */
function memoryScopes(run: DebuggedRun, reader: ValueReader): readonly Scope[] {
  const variables = run.map.variablesAt(lastStatement(run))
  const resources = ofKinds(reader, variables, ['resource'])
  const named = new Set(resources.map((n) => n.name))
  const scopes = [
    ['Resources', [...resources, ...bindingNodes(run, named)]] as const,
    ['Constants', constantNodes(reader, variables)] as const,
  ]
  return scopes.flatMap(([name, nodes]) =>
    nodes.length === 0 ? [] : [{ name, isExpensive: false, node: listNode(name, '', nodes) }],
  )
}

/** The scopes of a frame (0 the innermost) for a thread; empty where its group is not in flight, but others are. */
export function scopesOf(run: DebuggedRun, thread: Thread, frame = 0, format?: ValueFormat): readonly Scope[] {
  const reader = readerFor(run, thread, format)
  const found = laneAt(run.timeLine.groups, thread)
  if (reader === undefined) return []
  if (found === undefined) return memoryScopes(run, reader)
  const { wave } = found
  const { map, declarations } = run
  const variables = map.variablesAt(wave.statement)
  const scopes: Scope[] = []
  const add = (name: string, nodes: readonly ValueNode[], isExpensive: boolean, hint?: Scope['hint']): void => {
    if (nodes.length > 0 || hint === 'locals')
      scopes.push({ name, isExpensive, node: listNode(name, '', nodes), ...(hint && { hint }) })
  }
  const lane = { ...textNode('lane', `${thread.thread}`, 'thread of the group'), assign: () => LANE_IS_FOCUS }
  add('Locals', [lane, ...ofKinds(reader, variables, LOCALS, frame)], false, 'locals')
  add('Parameters', ofKinds(reader, variables, ['parameter'], frame), false, 'arguments')
  const own = map.origin === 'listing' ? variables.filter((v) => v.kind === 'register') : run.registers(wave.statement)
  add('Registers', registerNodes(run, reader, own, wave.statement), false, 'registers')
  const names = variables.filter((v) => v.frame === frame && v.kind !== 'static').map((v) => v.name)
  scopes.push({ name: 'All lanes', isExpensive: true, node: allLanes(run, wave, names) })
  add('Constants', constantNodes(reader, variables), true)
  const resources = ofKinds(reader, variables, ['resource'])
  const known = new Set(resources.map((n) => n.name))
  add('Resources', [...resources, ...bindingNodes(run, known)], true)
  if (declarations.tgsmByteLength > 0) add('Groupshared', ofKinds(reader, variables, ['groupshared']), true)
  if (run.draw !== undefined) scopes.push(invocationScope(run.draw, thread))
  scopes.push({ name: 'Wave', isExpensive: true, node: waveNode(run, wave) })
  return scopes
}

/** Registers; inputs and outputs with their semantics. */
function registerNodes(
  run: DebuggedRun,
  reader: ValueReader,
  registers: readonly SourceVariable[],
  statement: number,
): readonly ValueNode[] {
  const hidden = new Set(run.map.variablesAt(statement).flatMap((v) => (v.kind === 'register' ? [] : [v.name])))
  return registers.map((v) => {
    const semantic = run.semanticOf(v.name, statement)
    // As an expression, the name alone would be the variable of the source.
    const node = valueNode(reader, hidden.has(v.name) ? { ...v, path: `$${v.path}` } : v)
    return semantic === undefined ? node : { ...node, type: semantic }
  })
}

/** What a lane of a draw is. */
function invocationScope({ line }: DebuggedDraw, { thread }: Thread): Scope {
  const { batch, batches } = line
  const place = batch.placeOf(thread)
  const nodes = [
    textNode('stage', batch.stage),
    textNode('invocation', batch.describe(thread)),
    textNode('batch', `${batches.indexOf(batch)}, of ${batch.invocations} invocations`),
    ...(place === undefined
      ? []
      : [
          textNode('pixel', `(${place.x}, ${place.y})`),
          textNode('primitive', `${place.primitiveId}`),
          textNode('helper lane', batch.isHelper(thread) ? 'yes: it stores nothing' : 'no'),
        ]),
  ]
  return { name: 'Invocation', isExpensive: false, node: listNode('Invocation', batch.describe(thread), nodes) }
}

/** What assigning to `lane` means: another thread is looked at. */
const LANE_IS_FOCUS = 'assigning to lane chooses the thread that is looked at'
