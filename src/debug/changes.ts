import { diagnostic, ShaderError } from '../diagnostic/index.ts'
import type { GroupState } from '../engine/index.ts'
import type { Counter, ResolvedBindings, Storage, WrittenPages } from '../machine/index.ts'
import { viewOf } from './lanes.ts'
import type { Change, MemoryRange, RecordingSource } from './model.ts'

/** What the user writes to registers and memory. */

const refused = (text: string): ShaderError => new ShaderError([diagnostic('debug-change', text)])

/** The storage of a resource that is bound as a UAV: those are what a dispatch writes, and what moments differ in. */
function writableStorage(bindings: ResolvedBindings, resource: object): Storage | undefined {
  for (const view of bindings.u.values()) if (view.resource === resource) return view.storage
  return undefined
}

export function counterOf(bindings: ResolvedBindings, resource: object): Counter | undefined {
  for (const view of bindings.u.values()) {
    if (view.resource === resource && view.shape === 'structured' && view.counter !== undefined) return view.counter
  }
  return undefined
}

/** What a change is made in. */
type ChangedSource = Pick<RecordingSource, 'loaded' | 'bindings'>

function bytesOf({ bindings }: ChangedSource, groups: readonly GroupState[], range: MemoryRange): Uint8Array {
  if (range.space === 'resource') {
    const storage = writableStorage(bindings, range.resource)
    if (storage !== undefined) return storage.bytes
    throw refused('the resource is not bound as a UAV; inputs of a run stay as they are: begin another with others')
  }
  if (range.space === 'counter') {
    const counter = counterOf(bindings, range.resource)
    if (counter === undefined) throw refused('no view of the resource has a counter')
    const { buffer, byteOffset } = counter.words
    return new Uint8Array(buffer, byteOffset + counter.index * 4, 4)
  }
  const { group } = range
  if (group === undefined) throw refused('shared memory is changed in one group, which must be named')
  const found = groups.find(({ position }) => position.every((at, axis) => at === group[axis]))
  if (found === undefined) throw refused(`group (${group.join(', ')}) is not in flight at this moment`)
  const { buffer, byteOffset, byteLength } = found.tgsm
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function changeMemory(
  source: ChangedSource,
  groups: readonly GroupState[],
  change: Change & { kind: 'memory' },
  pages: WrittenPages | undefined,
): void {
  const { range, bytes } = change
  const target = bytesOf(source, groups, range)
  const at = range.space === 'counter' ? 0 : range.byteOffset
  if (at < 0 || at + bytes.length > target.length) {
    throw refused(`bytes ${at} to ${at + bytes.length - 1} were requested, of ${target.length}`)
  }
  const storage = range.space === 'resource' ? writableStorage(source.bindings, range.resource) : undefined
  if (storage !== undefined) pages?.willWrite(storage, at, bytes.length)
  target.set(bytes, at)
}

/** Makes a change; throws ShaderError where it is of nothing that is there. `pages` of the execution that it is made in, where it keeps them. */
export function applyChange(
  source: ChangedSource,
  groups: readonly GroupState[],
  change: Change,
  pages?: WrittenPages,
): void {
  if (change.kind === 'memory') {
    changeMemory(source, groups, change, pages)
    return
  }
  const view = viewOf(groups, change.thread)
  const { group, thread } = change.thread
  if (view === undefined) throw refused(`thread ${thread} of group (${group.join(', ')}) does not run at this moment`)
  if (!view.wave.setRegister(change.place, view.lane, change.bits))
    throw refused('the shader does not declare the register')
}

/**
 * Makes a change again in a run that may have become another one by changes before it: one that is of nothing that is there any
 * more is left out, and is made again when it is. False where it was left out.
 */
export function repeatChange(
  source: ChangedSource,
  groups: readonly GroupState[],
  change: Change,
  pages?: WrittenPages,
): boolean {
  try {
    applyChange(source, groups, change, pages)
    return true
  } catch (e) {
    if (!(e instanceof ShaderError)) throw e
    return false
  }
}
