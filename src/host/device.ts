import { statementLister } from '../asm/index.ts'
import { createDeviceClass, type DeviceConstructor, type Device as DeviceInstance } from '../engine/index.ts'
import { DEFAULT_ENGINE, ENGINES, type EngineName } from './engines.ts'

export type { EngineName } from './engines.ts'

/**
 * Where shaders run: `new Device({ engine, threads, schedule, undefinedPolicy, denormals })`. Holds buffers, textures
 * and shaders; `dispatch` runs thread groups. Methods throw one ShaderError on misuse. The default engine, `wasm`,
 * compiles shaders; what it has no code for runs on `reference`, and `engine` of a result says where it ran.
 */
export const Device: DeviceConstructor<EngineName> = createDeviceClass<EngineName>({
  engines: ENGINES,
  defaultEngine: DEFAULT_ENGINE,
  listing: statementLister,
})
export type Device = DeviceInstance
