import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import {
  type Bindings,
  createBuffer,
  createTexture,
  createUav,
  type Storage,
  type TextureOptions,
} from '../../../src/machine/index.ts'

/**
 * The kinds of memory that atomics and stores work on, each with an address in it. Address components that the kind does
 * not have are 99: nothing may read them (22.17: as many components as the resource declared has).
 */
export interface Place {
  readonly name: string
  readonly declares: string
  /** How an instruction names the memory. */
  readonly register: string
  /** Components of the address of the dword `index`. */
  readonly address: readonly [number, number, number, number]
  /** Dword that the address names, in u0, or in what `copyOut` makes of shared memory. */
  readonly index: number
  readonly dwords: number
  /** Fills shared memory from, and copies it to, the raw UAV u1. */
  readonly copyIn?: string
  readonly copyOut?: string
  readonly bind: (words: Uint32Array) => { bindings: Bindings; memory: Storage }
}

const TYPES = { UINT: '(uint,uint,uint,uint)', SINT: '(sint,sint,sint,sint)' } as const

function bufferPlace(name: string, declares: string, options: object, address: Place['address'], index: number): Place {
  return {
    name,
    declares,
    register: 'u0',
    address,
    index,
    dwords: 8,
    bind: (data) => {
      const stride = 'stride' in options ? { stride: options.stride as number } : {}
      const buffer = valueOrThrow(createBuffer({ data, ...stride }))
      return { bindings: { u0: createUav(buffer, options) }, memory: buffer.storage }
    },
  }
}

function texturePlace(
  word: string,
  type: keyof typeof TYPES,
  extents: Pick<TextureOptions, 'dimension' | 'height' | 'depth' | 'arraySize'>,
  address: Place['address'],
  index: number,
): Place {
  return {
    name: `${word} of R32_${type}`,
    declares: `dcl_uav_typed_${word} ${TYPES[type]} u0`,
    register: 'u0',
    address,
    index,
    dwords: 4 * (extents.height ?? 1) * (extents.depth ?? 1) * (extents.arraySize ?? 1),
    bind: (data) => {
      const texture = valueOrThrow(createTexture({ ...extents, width: 4, format: `R32_${type}`, data }))
      return { bindings: { u0: createUav(texture) }, memory: texture.storage }
    },
  }
}

function tgsmPlace(shape: 'raw' | 'structured', address: Place['address'], index: number): Place {
  const at = (dword: number): string =>
    shape === 'raw' ? `l(${dword * 4})` : `l(${dword >> 1}), l(${(dword & 1) * 4})`
  const lines = (line: (dword: number) => string): string => Array.from({ length: 8 }, (_, i) => line(i)).join('\n')
  const size = shape === 'raw' ? '32' : '8, 4'
  return {
    name: `${shape} shared memory`,
    declares: `dcl_uav_raw u1\ndcl_tgsm_raw g0, 16\ndcl_tgsm_${shape} g1, ${size}\ndcl_tgsm_raw g2, 16`,
    register: 'g1',
    address,
    index,
    dwords: 8,
    copyIn: lines((i) => `ld_raw r7.x, l(${i * 4}), u1.xxxx\nstore_${shape} g1.x, ${at(i)}, r7.x`),
    copyOut: lines((i) => `ld_${shape} r7.x, ${at(i)}, g1.xxxx\nstore_raw u1.x, l(${i * 4}), r7.x`),
    bind: (data) => {
      const buffer = valueOrThrow(createBuffer({ data }))
      return { bindings: { u1: createUav(buffer, { raw: true }) }, memory: buffer.storage }
    },
  }
}

export const TYPED_PLACES: readonly Place[] = [
  bufferPlace(
    'typed buffer of R32_UINT',
    `dcl_uav_typed_buffer ${TYPES.UINT} u0`,
    { format: 'R32_UINT' },
    [5, 99, 99, 99],
    5,
  ),
  bufferPlace(
    'typed buffer of R32_SINT',
    `dcl_uav_typed_buffer ${TYPES.SINT} u0`,
    { format: 'R32_SINT' },
    [5, 99, 99, 99],
    5,
  ),
  texturePlace('texture1d', 'UINT', { dimension: 'texture1d' }, [2, 99, 99, 99], 2),
  texturePlace('texture1darray', 'SINT', { dimension: 'texture1d', arraySize: 3 }, [2, 1, 99, 99], 6),
  texturePlace('texture2d', 'UINT', { dimension: 'texture2d', height: 3 }, [3, 2, 99, 99], 11),
  texturePlace('texture2darray', 'SINT', { dimension: 'texture2d', height: 3, arraySize: 2 }, [1, 2, 1, 99], 21),
  texturePlace('texture3d', 'UINT', { dimension: 'texture3d', height: 3, depth: 2 }, [0, 1, 1, 99], 16),
]
export const UNTYPED_PLACES: readonly Place[] = [
  bufferPlace('raw buffer', 'dcl_uav_raw u0', { raw: true }, [20, 99, 99, 99], 5),
  bufferPlace('structured buffer', 'dcl_uav_structured u0, 8', { stride: 8 }, [2, 4, 99, 99], 5),
  tgsmPlace('raw', [20, 99, 99, 99], 5),
  tgsmPlace('structured', [2, 4, 99, 99], 5),
]
export const PLACES: readonly Place[] = [...TYPED_PLACES, ...UNTYPED_PLACES]

/** Dwords around the one under test: 1000, 1001, ... */
export function contents(place: Place, word: number): Uint32Array {
  const words = Uint32Array.from({ length: place.dwords }, (_, i) => 1000 + i)
  words[place.index] = word
  return words
}
