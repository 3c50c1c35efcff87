/** What the engine uses of the host's WebAssembly, as types of its own: they are part of neither the language's library nor every host's. */
export interface WebAssemblyMemory {
  readonly buffer: SharedArrayBuffer
  grow(pages: number): number
}
export interface WebAssemblyModule {
  readonly [Symbol.toStringTag]?: string
}
interface WebAssemblyInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

export interface WebAssemblyHost {
  validate(bytes: Uint8Array<ArrayBuffer>): boolean
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: boolean }) => WebAssemblyMemory
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WebAssemblyModule
  readonly Instance: new (
    module: WebAssemblyModule,
    imports: Record<string, Record<string, unknown>>,
  ) => WebAssemblyInstance
}

/** The host's WebAssembly, or undefined where it has none. */
export function webAssembly(): WebAssemblyHost | undefined {
  return (globalThis as unknown as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly
}

/** A module whose one function returns a v128: hosts without SIMD do not take it. */
const SIMD_PROBE = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 5, 1, 0x60, 0, 1, 0x7b],
  ...[3, 2, 1, 0],
  ...[10, 22, 1, 20, 0, 0xfd, 12, ...new Array<number>(16).fill(0), 0x0b],
)

/** f32x4.relaxed_madd of three v128 parameters (Relaxed SIMD, opcode 0x105). */
const RELAXED_PROBE = Uint8Array.of(
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b],
  ...[3, 2, 1, 0],
  ...[10, 13, 1, 11, 0, 0x20, 0, 0x20, 1, 0x20, 2, 0xfd, 0x85, 2, 0x0b],
)

/** Whether the host has relaxed SIMD, whose multiply-adds round once where the processor can. */
export function hasRelaxedSimd(): boolean {
  return webAssembly()?.validate(RELAXED_PROBE) ?? false
}

/** A shared memory that can grow to so many pages; undefined where the host has no SIMD, no threads, or no room. */
export function createSharedMemory(maximum: number): WebAssemblyMemory | undefined {
  const wasm = webAssembly()
  if (wasm === undefined || !wasm.validate(SIMD_PROBE)) return undefined
  try {
    return new wasm.Memory({ initial: 1, maximum, shared: true })
  } catch {
    // Each memory takes gigabytes of addresses, which the host may not have or not grant.
    return undefined
  }
}
