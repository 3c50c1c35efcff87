import { type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import { type InterfaceData, NO_SLOT, type Reflection } from '../../dxbc/index.ts'
import type { ClassInstance, ClassInstances } from '../../engine/index.ts'
import type { JobClassBinding } from '../model.ts'
import { suggestion } from '../parse/suggest.ts'
import type { LoadedJobShader } from './shader.ts'

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
    return `${known}; it takes ${classes.sort().join(', ')}`
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

/** `fp3` of the interface variable `op`, `fp4` of `ops[1]`; names that the reflection does not have stay as they are. */
function pointerOfVariable(reflection: Reflection, name: string): string {
  const m = /^(.*?)(?:\[(\d{1,4})\])?$/.exec(name)
  const interfaces = reflection.buffers.filter((b) => b.kind === 'interfaces').flatMap((b) => b.variables)
  // Of an interface pointer the reflection gives its slot where others have their byte offset.
  const variable = interfaces.find((v) => v.name === m?.[1])
  return variable === undefined ? name : `fp${variable.byteOffset + Number(m?.[2] ?? 0)}`
}

/** Class instances with names looked up in the shader's linkage part. */
export function resolveClasses(
  given: readonly JobClassBinding[],
  shader: LoadedJobShader,
  out: DiagnosticSink,
): ClassInstances {
  const data = shader.interfaces
  const instances: Record<string, ClassInstance> = {}
  for (const { pointer: named, path, is } of given) {
    const pointer = pointerOfVariable(shader.reflection, named)
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
      out.push(diagnostic('job-out-of-range', found, { kind: 'path', path }, suggestion(is.name, names)))
    } else instances[pointer] = { ...found, ...is.places }
  }
  return instances
}
