import type { ClassInstances, LoadedShader } from '../engine/index.ts'

/** A shader of a pipeline: what runs, and the names that its signatures give to registers. */

/** What the bits of a register mean. */
export type ComponentType = 'float' | 'sint' | 'uint'

/** An element of a signature: a name for components of a register. */
export interface SignatureRegister {
  readonly semanticName: string
  readonly semanticIndex: number
  readonly register: number
  /** Components, 4 bits. */
  readonly mask: number
  readonly stream: number
  /** A number of SYSTEM_VALUE_NUMBER. */
  readonly systemValue: number
  /** Absent where the signature does not say. */
  readonly type?: ComponentType | undefined
}

export interface PipelineShader {
  readonly loaded: LoadedShader
  readonly inputSignature: readonly SignatureRegister[]
  readonly outputSignature: readonly SignatureRegister[]
  /** Of hull shaders what they write, of domain shaders what they read. */
  readonly patchConstantSignature: readonly SignatureRegister[]
  /** What interface pointers point to; every stage has its own. */
  readonly classInstances?: ClassInstances | undefined
}

/** Components of a mask as they are written: `xyw`. */
export const componentsText = (mask: number): string => [...'xyzw'].filter((_, c) => (mask & (1 << c)) !== 0).join('')

/** Semantic names compare without regard to case (functional specification 4.4.1). */
export const sameSemantic = (
  a: { readonly semanticName: string; readonly semanticIndex: number },
  name: string,
  index: number,
): boolean => a.semanticIndex === index && a.semanticName.toUpperCase() === name.toUpperCase()
