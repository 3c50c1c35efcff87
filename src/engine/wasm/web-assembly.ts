/** What the engine uses of the host's WebAssembly, as types of its own: they are part of neither the language's library nor every host's. */
export interface WebAssemblyMemory {
  readonly buffer: SharedArrayBuffer
  grow(pages: number): number
}
export interface WebAssemblyModule {
  readonly [Symbol.toStringTag]?: string
}
export interface WebAssemblyInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

interface WebAssemblyHost {
  readonly Memory: new (descriptor: { initial: number; maximum: number; shared: boolean }) => WebAssemblyMemory
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WebAssemblyModule
  readonly Instance: new (
    module: WebAssemblyModule,
    imports: Record<string, Record<string, unknown>>,
  ) => WebAssemblyInstance
}

/** The host's WebAssembly, or undefined where it has none. */
export function webAssembly(): WebAssemblyHost | undefined {
  return (globalThis as { readonly WebAssembly?: WebAssemblyHost }).WebAssembly
}
