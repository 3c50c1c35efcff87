import type { CodeInfo } from './code-info.ts'

/** Codes of the room `machine`. */
export const MACHINE_CODES = {
  'machine-argument': {
    severity: 'error',
    title: 'Invalid argument',
    explanation:
      'A function was called with an option that it does not have, or with a value of the wrong type: a list of numbers where bytes are expected, text where a number is, nothing where an object is. The message names the argument. Options are checked by name so that a misspelled one does not count as left out.',
  },
  'machine-resource-disposed': {
    severity: 'error',
    title: 'Disposed resource',
    explanation:
      'The buffer or texture was disposed of. Its bytes belong to the device again and may hold another resource by now, so that it can be neither read, written nor bound.',
  },
  'machine-out-of-memory': {
    severity: 'error',
    title: 'No room for a resource',
    explanation:
      'The resource is larger than one allocation of this machine can be, or the host refused the memory. Direct3D promises 128 MB a resource; this machine goes to 2 GiB where the host allows it, and the resources of a run description to 4 GiB together. Make the resource smaller, or give a memory with more room.',
    source: 'functional specification 21',
  },
  'machine-buffer-size': {
    severity: 'error',
    title: 'Buffer without a size',
    explanation:
      'A buffer needs a byteLength of at least one byte, or data to take its size from. Direct3D refuses a buffer with ByteWidth 0.',
    source: 'functional specification 5.3.4',
  },
  'machine-buffer-stride': {
    severity: 'error',
    title: 'Invalid structure stride',
    explanation:
      'The stride of a structured buffer is a multiple of 4 from 4 to 2048 bytes, and the buffer holds whole structures. The stride is the size of the HLSL structure, which reflection reports.',
    source: 'functional specification 5.1.4',
  },
  'machine-data-size': {
    severity: 'error',
    title: 'More initial data than room',
    explanation:
      'The data given for a resource is longer than the resource. Data is laid out without padding: slices, then mips, then depth slices, then rows of texels or blocks. Shorter data is fine; the rest is zero.',
  },
  'machine-texture-size': {
    severity: 'error',
    title: 'Invalid texture extents',
    explanation:
      'Direct3D 11 textures have 1 to 16384 texels a side (1 to 2048 for a Texture3D), 1 to 2048 slices, square cube faces in sixes, no more mips than halvings down to one texel, and a top mip of whole blocks for block-compressed formats.',
    source: 'functional specification 5.3.5 to 5.3.8, 19.5.1 and 21',
  },
  'machine-texture-samples': {
    severity: 'error',
    title: 'Invalid sample count',
    explanation:
      'Only a Texture2D (or array) with one mip and a format that is not block compressed can be multisample, with 2, 4, 8 or 16 samples: the counts that have a standard pattern.',
    source: 'functional specification 19.2.4',
  },
  'machine-format-unknown': {
    severity: 'error',
    title: 'Not a DXGI format',
    explanation:
      'The name is not one of the DXGI formats that Direct3D 11 shaders can use. Names are spelled as DXGI does, with or without DXGI_FORMAT_, for example R8G8B8A8_UNORM_SRGB. R1_UNORM and the video formats are not among them.',
    source: 'functional specification 19.1.4',
  },
  'machine-format-support': {
    severity: 'error',
    title: 'Format used for what it cannot do',
    explanation:
      'Direct3D 11 does not allow the format in this place: a typeless or depth format in a view, a block format in a buffer, a format without typed stores in a UAV. View the resource through another format of its family, or make it with another format.',
    source: 'functional specification 19.1.4',
  },
  'machine-view-range': {
    severity: 'error',
    title: 'View of what the resource does not have',
    explanation:
      'The elements, mips or slices of a view must lie in its resource; the view of a cube takes whole cubes; raw views and constant buffers start at a multiple of 16 bytes.',
    source: 'functional specification 5.3.9.2 and 5.3.4.3.2',
  },
  'machine-view-kind': {
    severity: 'error',
    title: 'View of a kind that the resource does not allow',
    explanation:
      'A buffer view is typed (a format), raw, or structured (a stride), one of the three; a structured view uses the stride of its buffer; only structured UAVs have a hidden counter; a texture is seen in its own dimension, a cube also as an array of faces; multisample and cube UAVs do not exist in Direct3D 11.',
    source: 'functional specification 5.3.9 and 5.3.10',
  },
  'machine-view-format': {
    severity: 'error',
    title: 'Cast between formats of different layout',
    explanation:
      'A view may reinterpret a texture only within its typeless family, where each component has the same bits. The one exception: UAVs of R32_UINT, R32_SINT and R32_FLOAT on six 32-bit typeless formats.',
    source: 'functional specification 19.1.4 and 5.3.9.5',
  },
  'machine-sampler-value': {
    severity: 'error',
    title: 'Invalid sampler state',
    explanation:
      'The filter, address mode or comparison is not one of Direct3D 11, or a number is out of its range: mipLodBias from -16 to 15.99, maxAnisotropy from 0 to 16, LOD clamps that are numbers.',
    source: 'functional specification 7.18.3',
  },
  'machine-binding-slot': {
    severity: 'error',
    title: 'Slot that cannot be bound',
    explanation:
      'Slots are named t0 (shader resource views), u0 (unordered access views), b0 (constant buffers) and s0 (samplers), with ,space1 and so on in Shader Model 5.1. Each slot is bound once; an array fills the slots from the named one on.',
  },
  'machine-binding-kind': {
    severity: 'error',
    title: 'Wrong kind of resource in a slot',
    explanation:
      'What is bound does not fit the register: t takes shader resource views, u unordered access views, b constant buffers, s samplers. Buffers and textures are bound through a view of them: srv(buffer), uav(buffer).',
  },
  'machine-binding-hazard': {
    severity: 'warning',
    title: 'Memory bound for reading and writing at once',
    explanation:
      'Direct3D never lets a subresource be written through one binding and used through another: it unbinds the shader resource view, or ignores the call that binds two unordered access views. Here the shader runs with the bindings as given, and may see its own writes where Direct3D would give zeros.',
    source: 'functional specification 5.3.9.4',
  },
  'machine-binding-mismatch': {
    severity: 'error',
    title: 'What is bound is not what the shader declares',
    explanation:
      'The shader declares what each slot holds: dimension, typed, raw or structured, the stride of structures, the type that a typed resource returns, whether a sampler compares. A binding that differs gives undefined results in Direct3D; it is refused before anything runs.',
    source: 'functional specification 22.3',
  },
  'machine-binding-missing': {
    severity: 'warning',
    title: 'Declared slot with nothing bound',
    explanation:
      'The shader declares the slot and nothing is bound to it. Direct3D defines what happens: loads give 0, stores and atomics do nothing, and size queries answer 0. It is rarely what was meant.',
    source: 'functional specification 7.18.17 and 22.4',
  },
  'machine-schedule': {
    severity: 'error',
    title: 'Invalid schedule',
    explanation:
      'A schedule has a wave width of 1, 4, 8, 16, 32 or 64, an order (forward, reverse, or a seed) and at least one group in flight.',
  },
  'machine-dispatch-size': {
    severity: 'error',
    title: 'Dispatch of an impossible size',
    explanation:
      'Each of the three thread group counts of a dispatch is a whole number from 0 to 65535; with cs_4_0 and cs_4_1 the third is 1. A count of 0 runs nothing.',
    source: 'functional specification 18.6.2 and 21',
  },
} as const satisfies Record<string, CodeInfo>
