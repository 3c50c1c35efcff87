import { CHAIN_RANGES } from './memory.ts'
import { RANGE, type Returned } from './plan.ts'
import { BODIES, CONSTANTS, type Writer } from './writer.ts'

/** Declarations of what random programs of all stages read, store to and call. */

const types = (returned: Returned): string => `(${Array(4).fill(returned).join(',')})`

export function declareConstants(w: Writer): void {
  const rows = Array.from({ length: CONSTANTS }, () => `{ ${[0, 1, 2, 3].map(() => w.word()).join(', ')} }`)
  w.line(`dcl_immediateConstantBuffer { ${rows.join(', ')} }`)
  // The second is of unknown use: bound, too small, or absent.
  const [first, second] = [0, 1].map((n) => (w.hasRanges ? `CB${n}[${n}:${n}]` : `CB${n}`))
  const space = w.hasRanges ? ', space=0' : ''
  w.line(`dcl_constantbuffer ${first}[${CONSTANTS}], dynamicIndexed${space}`)
  w.line(`dcl_constantbuffer ${second}[2], immediateIndexed${space}`)
}

export function declareResources(w: Writer): void {
  const { plan } = w
  const space = w.hasRanges ? ', space=0' : ''
  w.line(`dcl_resource_raw ${w.declared('t', 0)}${space}`)
  w.line(`dcl_resource_structured ${w.declared('t', 1)}, ${plan.strides.input}${space}`)
  if (plan.texels) {
    w.line(`dcl_sampler ${w.declared('s', 0)}, mode_default${space}`)
    w.line(`dcl_sampler ${w.declared('s', 1)}, mode_comparison${space}`)
    w.line(`dcl_resource_buffer ${types(plan.typedBuffer)} ${w.declared('t', 2)}${space}`)
    for (const t of plan.textures) {
      w.line(
        `dcl_resource_${t.dimension} ${types(t.returned)} ${w.declared('t', t.register, plan.dynamicRanges ? RANGE : 1)}${space}`,
      )
    }
  }
  if (plan.chains) for (const range of CHAIN_RANGES) w.line(range)
  if (!plan.writes) return
  w.line(`dcl_uav_raw ${w.declared('u', 0)}${space}`)
  const { own, typedOwn } = { own: plan.strides.own, typedOwn: plan.typedOwn }
  const declarations: Readonly<Record<number, string>> = {
    1: `dcl_uav_raw ${w.declared('u', 1)}`,
    2: `dcl_uav_structured ${w.declared('u', 2)}, ${own}`,
    3: `dcl_uav_typed_buffer ${types(typedOwn.buffer)} ${w.declared('u', 3)}`,
    4: `dcl_uav_typed_${typedOwn.dimension} ${types(typedOwn.texture)} ${w.declared('u', 4)}`,
    5: `dcl_uav_structured_opc ${w.declared('u', 5)}, 8`,
    6: `dcl_uav_structured_opc ${w.declared('u', 6)}, 4`,
    7: `dcl_uav_structured ${w.declared('u', 7)}, 8`,
  }
  for (const u of plan.uavs) w.line(`${declarations[u]}${space}`)
}

/** Methods: two sites for each of two classes, and a third pointer with a class of its own. */
export function declareInterfaces(w: Writer): void {
  for (let n = 0; n < BODIES; n++) w.line(`dcl_function_body fb${n}`)
  w.line('dcl_function_table ft0 = {fb0, fb2}')
  w.line('dcl_function_table ft1 = {fb1, fb3}')
  w.line('dcl_function_table ft2 = {fb4, fb5}')
  w.line('dcl_interface_dynamicindexed fp0[2][2] = {ft0, ft1}')
  w.line('dcl_interface fp2[1][2] = {ft0, ft1, ft2}')
}
