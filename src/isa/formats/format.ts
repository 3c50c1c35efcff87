/** How the bits of one component are read (functional spec 19.1.3.2). */
export type ComponentEncoding =
  | 'unorm'
  | 'snorm'
  | 'uint'
  | 'sint'
  | 'float'
  | 'unorm-srgb'
  | 'xr-bias'
  | 'sharedexp'
  | 'typeless'

/** Letters of a format name: color, depth and stencil, the shared exponent, and unused bits. */
export type ComponentName = 'r' | 'g' | 'b' | 'a' | 'd' | 's' | 'e' | 'x'

export interface FormatComponent {
  readonly name: ComponentName
  /** Offset of the component's least significant bit in the element, read as one little-endian number. */
  readonly bitOffset: number
  readonly bitCount: number
  readonly encoding: ComponentEncoding
}

/**
 * How texels lie in memory: `linear` one element a texel; `packed422` two texels wide in four bytes (19.4);
 * the others are 4x4 block compressed (19.5).
 */
export type FormatLayout = 'linear' | 'packed422' | 'bc1' | 'bc2' | 'bc3' | 'bc4' | 'bc5' | 'bc6h' | 'bc7'

/** What a load or sample puts into a register: float bits, unsigned or signed integers; `none` where no view can be made. */
export type FormatResult = 'float' | 'uint' | 'sint' | 'none'

/** Required by feature level 11_0, optional there (or added by a later runtime), or not possible. */
export type Support = 'required' | 'optional' | 'none'

/** Resource types that may be made with a format. */
export type FormatResource = 'buffer' | 'texture1d' | 'texture2d' | 'texture3d' | 'texturecube'

/** What Direct3D 11 hardware of feature level 11_0 can do with a format (the DXGI format support tables). */
export interface FormatCapabilities {
  readonly resources: Readonly<Record<FormatResource, Support>>
  /** `ld` through a shader resource view. Point sampling follows it: 7.18.1 gives it to every format that can be read. */
  readonly load: Support
  /** `ld2dms` from a multisample texture. */
  readonly multisampleLoad: Support
  /** Linear, anisotropic, minimum and maximum filters. */
  readonly filter: Support
  /** `gather4*`. */
  readonly gather: Support
  /** `sample_c*` and `gather4_c*`. */
  readonly comparison: Support
  /** `store_uav_typed`. */
  readonly typedUavStore: Support
  /** `ld_uav_typed`. */
  readonly typedUavLoad: Support
  /** Atomics on a typed UAV: every one (R32_UINT, R32_SINT), the exchange alone (R32_FLOAT), or none. */
  readonly typedUavAtomic: 'all' | 'exchange' | 'none'
  /** Render target views. */
  readonly renderTarget: Support
  /** Blending into a render target; others take what the shader gives. */
  readonly blend: Support
  /** Logic operations of the output merger. */
  readonly logicOp: Support
  /** Render and depth-stencil targets of four samples. */
  readonly multisampleTarget: Support
  /** ResolveSubresource. */
  readonly resolve: Support
  /** GenerateMips. */
  readonly generateMips: Support
  /** Depth-stencil views. */
  readonly depthStencil: Support
}

/** One DXGI format as data. */
export interface Format {
  /** As DXGI spells it, without `DXGI_FORMAT_`. */
  readonly name: string
  /** The number of the DXGI_FORMAT enumeration. */
  readonly number: number
  readonly layout: FormatLayout
  /** Texels a block covers; 1x1 for linear formats, 2x1 for packed422, 4x4 for block compression. */
  readonly blockWidth: number
  readonly blockHeight: number
  /** Bytes of one block (of one element, for linear formats). */
  readonly blockByteLength: number
  /** Bits of storage per texel (4 for BC1 and BC4). */
  readonly bitsPerElement: number
  /** In the order of the name: from the least significant bit on. For block formats: the components that a decode yields. */
  readonly components: readonly FormatComponent[]
  /** Name of the typeless format that formats of the same bit layout can be cast through; its own name when there is none. */
  readonly family: string
  readonly typeless: boolean
  readonly depthStencil: boolean
  readonly srgb: boolean
  readonly result: FormatResult
  readonly capabilities: FormatCapabilities
}
