import {
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
} from '../diagnostic/index.ts'
import type { ClassInstance, ClassInstances } from './contract.ts'
import type { Declarations } from './declarations.ts'

/** Class instances by interface pointer number (`fp#` plus the index in its array). */
export interface ClassBinding {
  readonly instances: ReadonlyMap<number, ClassInstance>
  /** Interface pointers declared: the number of this[] registers. */
  readonly pointerCount: number
}

/** Of programs without interfaces, which are nearly all. */
const NO_CLASSES: Outcome<ClassBinding> = outcomeOf({ instances: new Map(), pointerCount: 0 }, [])

/** `fp3` or `fp1[2]` to a pointer number. */
function pointerOf(name: string): number | undefined {
  const match = /^fp(\d{1,3})(?:\[(\d{1,3})\])?$/.exec(name)
  return match === null ? undefined : Number(match[1]) + Number(match[2] ?? 0)
}

function check(d: Declarations, name: string, pointer: number | undefined, instance: ClassInstance): Diagnostic[] {
  const at = { kind: 'path', path: name } as const
  const bad = (message: string): Diagnostic[] => [diagnostic('engine-class-instance', message, at)]
  const declared = d.interfaces.find(
    (i) => pointer !== undefined && pointer >= i.interface && pointer < i.interface + Math.max(1, i.arrayLength),
  )
  if (declared === undefined) {
    const known = d.interfaces.map((i) => `fp${i.interface}[${i.arrayLength}]`).join(', ') || 'none'
    return bad(`${name} is not an interface pointer of the shader; it declares ${known}`)
  }
  if (!declared.tables.includes(instance.table)) {
    const known = declared.tables.map((t) => `ft${t}`).join(', ')
    return bad(`${name} was given an instance with function table ft${instance.table}; it takes ${known}`)
  }
  const fields = ['constantBuffer', 'constantOffset', 'texture', 'sampler'] as const
  return fields.flatMap((field) => {
    const n = instance[field] ?? 0
    return Number.isSafeInteger(n) && n >= 0 && n <= 0xffff
      ? []
      : bad(`${name}: ${field} is ${n}; it must be 0 or more`)
  })
}

/**
 * Class instances matched with the interfaces that a program declares. A pointer without one is allowed: a call through
 * it is undefined, and skipped.
 */
export function resolveClassInstances(d: Declarations, given: ClassInstances): Outcome<ClassBinding> {
  if (d.interfaces.length === 0 && Object.keys(given).length === 0) return NO_CLASSES
  const instances = new Map<number, ClassInstance>()
  const diagnostics = new DiagnosticCollector()
  for (const [name, instance] of Object.entries(given)) {
    const pointer = pointerOf(name)
    const found = check(d, name, pointer, instance)
    diagnostics.pushAll(found)
    if (found.length === 0) instances.set(pointer!, instance)
  }
  if (diagnostics.errorCount > 0) return failure(diagnostics.finish())
  const pointerCount = d.interfaces.reduce((n, i) => Math.max(n, i.interface + Math.max(1, i.arrayLength)), 0)
  return outcomeOf({ instances, pointerCount }, diagnostics.finish())
}
