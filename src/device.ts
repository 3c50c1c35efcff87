import { statementLister } from './asm/index.ts'
import { createDeviceClass, type DeviceConstructor, type Device as DeviceInstance } from './engine/index.ts'
import { createReferenceEngine } from './engine/reference/index.ts'
import { createWasmEngine } from './engine/wasm/index.ts'

/** Names of the engines that come with the package. */
export type EngineName = 'reference' | 'wasm'

/**
 * Where shaders run: `new Device({ engine, threads, schedule, undefinedPolicy, denormals })`. Holds buffers, textures
 * and shaders; `dispatch` runs thread groups. Methods throw one ShaderError on misuse.
 */
export const Device: DeviceConstructor<EngineName> = createDeviceClass<EngineName>({
  engines: { reference: createReferenceEngine, wasm: createWasmEngine },
  defaultEngine: 'reference',
  listing: statementLister,
})
export type Device = DeviceInstance
