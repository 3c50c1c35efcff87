import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type InterfaceData, NO_SLOT } from '../../dxbc/index.ts'
import type { ClassInstance, ClassInstances } from '../../engine/index.ts'
import type { Job } from './model.ts'
import { suggestion } from './suggest.ts'

/** The run of interface slots that a pointer `fp3` or `fp1[2]` lies in. */
function runOfPointer(data: InterfaceData, pointer: string): InterfaceData['slots'][number] | undefined {
  const m = /^fp(\d{1,4})(?:\[(\d{1,4})\])?$/.exec(pointer)
  if (m === null) return undefined
  let left = Number(m[1]) + Number(m[2] ?? 0)
  return data.slots.find((run) => {
    const inside = left < run.slotCount
    left -= run.slotCount
    return inside
  })
}

function slotOf(n: number): number {
  return n === NO_SLOT ? 0 : n
}

/** An instance of a shader by the name of a variable, or of its class. */
function namedInstance(data: InterfaceData, pointer: string, name: string): ClassInstance | string {
  const run = runOfPointer(data, pointer)
  if (run === undefined) return `${pointer} is not an interface pointer of the shader`
  const instance = data.instances.find((i) => i.name === name)
  const typeId = instance?.typeId ?? data.types.findIndex((t) => t.name === name)
  const entry = run.entries.find((e) => e.typeId === typeId)
  if (entry === undefined) {
    const classes = run.entries.map((e) => data.types[e.typeId]?.name ?? `class ${e.typeId}`)
    const known =
      typeId >= 0
        ? `${name} is of a class that ${pointer} does not take`
        : `${name} is no instance or class of the shader`
    return `${known}; it takes ${classes.join(', ')}`
  }
  if (instance === undefined) return { table: entry.tableId }
  return {
    table: entry.tableId,
    constantBuffer: slotOf(instance.constantBuffer),
    constantOffset: slotOf(instance.constantBufferOffset),
    texture: slotOf(instance.texture),
    sampler: slotOf(instance.sampler),
  }
}

/** Class instances with names looked up in the shader's linkage part. */
export function resolveClasses(job: Job, data: InterfaceData | undefined, out: Diagnostic[]): ClassInstances {
  const instances: Record<string, ClassInstance> = {}
  for (const { pointer, path, is } of job.classInstances) {
    if (is.kind === 'places') {
      instances[pointer] = is.instance
      continue
    }
    const found =
      data === undefined
        ? 'the shader has no linkage part (IFCE) that names classes'
        : namedInstance(data, pointer, is.name)
    if (typeof found === 'string') {
      const names = [...(data?.instances ?? []), ...(data?.types ?? [])].map((x) => x.name)
      out.push(diagnostic('job-value', found, { kind: 'path', path }, suggestion(is.name, names)))
    } else instances[pointer] = { ...found, ...is.places }
  }
  return instances
}
