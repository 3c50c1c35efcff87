import { describe, expect, it } from 'vitest'
import { cbv, Device, dsv, rtv, ShaderError, sampler, srv, uav } from '../../src/index.ts'

/**
 * Every field of what makes resources, views and samplers, and of commands, replaced by values of all kinds: it is made, or one
 * ShaderError or outcome refuses it. A field that is undefined counts as one that is not there.
 */

const device = new Device({ engine: 'reference' })
const flat = { dimension: 'texture2d', width: 4, height: 4 } as const
const color = device.createTexture({ ...flat, format: 'R8G8B8A8_UNORM', mipLevels: 2, arraySize: 2 })
const samples = device.createTexture({ ...flat, format: 'R8G8B8A8_UNORM', sampleCount: 4 })
const depth = device.createTexture({ ...flat, format: 'D24_UNORM_S8_UINT' })
const buffer = device.createBuffer({ byteLength: 64, stride: 4 })

// biome-ignore lint/suspicious/noExplicitAny: what these callers give has no type
type Any = any

/** What takes an object of options, with all of them. */
const CALLS: Readonly<Record<string, readonly [() => Any, (given: Any) => unknown]>> = {
  createTexture: [
    () => ({
      ...{ dimension: 'texture2d', format: 'R8_UNORM', width: 4, height: 4, depth: 1, arraySize: 1, mipLevels: 1 },
      ...{ sampleCount: 1, minLod: 0, data: new Uint8Array(16) },
    }),
    (o) => device.createTexture(o),
  ],
  createBuffer: [() => ({ byteLength: 16, stride: 4, data: new Uint8Array(16) }), (o) => device.createBuffer(o)],
  rtv: [
    () => ({
      ...{ format: 'R8G8B8A8_UNORM', dimension: 'texture2darray', mipSlice: 0, firstArraySlice: 0, arraySize: 1 },
    }),
    (o) => rtv(color, o),
  ],
  dsv: [
    () => ({
      ...{ format: 'D24_UNORM_S8_UINT', dimension: 'texture2d', mipSlice: 0, firstArraySlice: 0, arraySize: 1 },
      ...{ readOnlyDepth: false, readOnlyStencil: false },
    }),
    (o) => dsv(depth, o),
  ],
  srv: [
    () => ({
      ...{ format: 'R8G8B8A8_UNORM', dimension: 'texture2darray', mostDetailedMip: 0, mipLevels: 2 },
      ...{ firstArraySlice: 0, arraySize: 2 },
    }),
    (o) => srv(color, o),
  ],
  uav: [
    () => ({ stride: 4, firstElement: 0, elementCount: 4, counter: 'counter', initialCount: 0 }),
    (o) => uav(buffer, o),
  ],
  cbv: [() => ({ byteOffset: 0, byteLength: 16 }), (o) => cbv(buffer, o)],
  sampler: [
    () => ({
      ...{ filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP', addressU: 'WRAP', addressV: 'WRAP', addressW: 'WRAP' },
      ...{ mipLodBias: 0, maxAnisotropy: 1, comparison: 'NEVER', borderColor: [0, 0, 0, 0], minLod: 0, maxLod: 1 },
    }),
    (o) => sampler(o),
  ],
  resolve: [
    () => ({
      destinationPlace: { mip: 0, arraySlice: 0 },
      sourcePlace: { mip: 0, arraySlice: 0 },
      format: 'R8G8B8A8_UNORM',
    }),
    (o) => device.resolve(color, samples, o),
  ],
  clearDepthStencil: [() => ({ depth: 1, stencil: 2 }), (o) => device.clearDepthStencil(dsv(depth), o)],
}

function pathsOf(o: Any, at: readonly string[] = []): (readonly string[])[] {
  if (typeof o !== 'object' || o === null || ArrayBuffer.isView(o)) return []
  return Object.keys(o).flatMap((key) => [[...at, key], ...pathsOf(o[key], [...at, key])])
}

const ABSENT = Symbol('absent')
const VALUES = [undefined, ABSENT, null, -1, 1.5, Number.NaN, 2 ** 32, 'x', {}, [], true, Symbol('s'), 3n]

function outcomeOf(name: string, path: readonly string[], value: unknown): string {
  const [make, call] = CALLS[name]!
  const given = make()
  const holder = path.slice(0, -1).reduce((o, key) => o[key], given)
  if (value === ABSENT) delete holder[path.at(-1)!]
  else holder[path.at(-1)!] = value
  try {
    const made = call(given) as { readonly ok?: boolean } | undefined
    return made?.ok === false ? 'refused' : 'made'
  } catch (e) {
    expect(e, `${path.join('.')} = ${String(value)}`).toBeInstanceOf(ShaderError)
    return 'refused'
  }
}

describe.each(Object.keys(CALLS))('%s with one wrong field', (name) => {
  const paths = pathsOf(CALLS[name]![0]())

  it('runs, or is refused', () => {
    const outcomes = paths.flatMap((path) => {
      const isListed = /^\d+$/.test(path.at(-1)!)
      return VALUES.filter((v) => v !== ABSENT || !isListed).map((v) => outcomeOf(name, path, v))
    })
    // All fields as they are, which is what the others are changes of.
    expect(outcomeOf(name, [paths[0]![0]!], CALLS[name]![0]()[paths[0]![0]!])).toBe('made')
    expect(outcomes).toContain('refused')
  })

  it('takes undefined for what is not there', () => {
    for (const path of paths.filter((p) => !/^\d+$/.test(p.at(-1)!)))
      expect(outcomeOf(name, path, undefined), path.join('.')).toBe(outcomeOf(name, path, ABSENT))
  })
})
