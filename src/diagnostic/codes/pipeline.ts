import type { CodeInfo } from './code-info.ts'

/** Codes of the graphics pipeline: pipelines, draws, render targets. */
export const PIPELINE_CODES = {
  'pipeline-state': {
    severity: 'error',
    title: 'Pipeline state that Direct3D does not have',
    explanation:
      'A field of the state has a value that Direct3D 11 does not have, or values that do not go together. The place names the field.',
    source: 'functional specification 15 to 17; win32 reference, D3D11_*_DESC',
  },
  'pipeline-input-layout': {
    severity: 'error',
    title: 'Input layout that does not fit',
    explanation:
      'An element of the input layout is wrong, or the vertex shader reads a semantic that no element has (ID3D11Device::CreateInputLayout).',
    source: 'functional specification 8.19',
  },
  'pipeline-linkage': {
    severity: 'error',
    title: 'Stages that do not fit together',
    explanation:
      'A stage reads a register, a primitive or a patch that the stage before it does not give. Registers link by number and component; names are compared as a hint.',
    source: 'functional specification 4.4.3.2 and 22.3.10',
  },
  'pipeline-linkage-name': {
    severity: 'warning',
    title: 'Stages that link registers of different names',
    explanation:
      'A stage reads from a register what the stage before it wrote there under another name. Direct3D links by register, so the value arrives; the names say that something else was meant.',
    source: 'functional specification 4.4.3.2',
  },
  'pipeline-linkage-missing': {
    severity: 'warning',
    title: 'Input that the stage before does not write',
    explanation:
      'A stage reads components that the stage before it does not write. Direct3D leaves them undefined; Heddle gives 0.',
    source: 'functional specification 4.4.3.2',
  },
  'pipeline-linkage-type': {
    severity: 'warning',
    title: 'Stages that link registers of different types',
    explanation:
      'A stage reads a register as another type (float, sint, uint) than the stage before it wrote. Registers pass on bits as they are, so what arrives are the bits and not the number; between the rasterizer and the pixel shader they are even interpolated as floats unless the input is constant. The debug layer of Direct3D calls it a linkage error.',
    source: 'functional specification 4.4.3.2; D3D11_MESSAGE_ID_DEVICE_SHADER_LINKAGE_COMPONENTTYPE',
  },
  'pipeline-linkage-system-value': {
    severity: 'warning',
    title: 'Stages that disagree about a system value',
    explanation:
      'A stage writes a register as one system value, and the next one reads it as another or as none, or the other way round. Direct3D leaves that undefined; Heddle passes on the bits.',
    source: 'functional specification 4.4.4',
  },
  'pipeline-input-type': {
    severity: 'warning',
    title: 'Vertex data of another type than the input',
    explanation:
      'An element of the input layout has a format whose values are of another type (float, sint, uint) than the input of the vertex shader that reads it. Direct3D converts by the format and passes on the bits, which is defined and rarely meant: a float input that is fed R8G8B8A8_UINT reads denormals.',
    source: 'D3D11_MESSAGE_ID_CREATEINPUTLAYOUT_TYPE_MISMATCH',
  },
  'pipeline-output-type': {
    severity: 'warning',
    title: 'Render target of another type than the output',
    explanation:
      'The pixel shader writes floats and the render target has integers, or the other way round, or the signs differ. Direct3D leaves undefined what the target holds then. Heddle stores the bits of the output as if they were of the type of the target; under the policy poison it stores a pattern that shows, under trap it stops at the first pixel.',
    source: 'functional specification 17; win32 reference, semantics SV_Target',
  },
  'pipeline-output-unbound': {
    severity: 'hint',
    title: 'Output that nothing takes',
    explanation:
      'The pixel shader writes a color and no render target is bound in its slot, or a depth and no depth buffer is bound. Direct3D drops what it writes, which is sound where it is meant.',
    source: 'D3D11_MESSAGE_ID_DEVICE_DRAW_RENDERTARGETVIEW_NOT_SET, _DEPTHSTENCILVIEW_NOT_SET',
  },
  'pipeline-stage': {
    severity: 'error',
    title: 'Stages that Direct3D cannot run together',
    explanation:
      'A vertex shader is always needed; hull and domain shaders come in pairs, with a patch topology; a shader stands in the slot of its own stage.',
    source: 'functional specification 4.1 and 11.8',
  },
  'pipeline-view': {
    severity: 'error',
    title: 'Render target or depth buffer that does not fit',
    explanation:
      'The view has a format or a kind that cannot be drawn to, or targets differ in size, samples or slices.',
    source: 'functional specification 17 and 19.1',
  },
  'pipeline-hazard': {
    severity: 'error',
    title: 'Resource bound to be read and written',
    explanation:
      'One subresource is bound to be read and to be written in the same draw. Direct3D unbinds one of them without a word; Heddle refuses the draw.',
    source: 'functional specification 5.3.9.4',
  },
  'pipeline-draw': {
    severity: 'error',
    title: 'Invalid arguments of a draw',
    explanation:
      'A count or a start value of the draw is no whole number in its range, or a buffer that it needs is missing.',
    source: 'functional specification 8.5 to 8.9',
  },
  'pipeline-buffer-short': {
    severity: 'hint',
    title: 'Draw that reads behind the end of a buffer',
    explanation:
      'The arguments of a draw reach behind the end of a vertex or index buffer. Direct3D reads 0 there, with the defaults of components that the format lacks, and index 0, which is sound where it is meant; mostly a count or a stride is wrong.',
    source:
      'functional specification 8.19.2; D3D11_MESSAGE_ID_DEVICE_DRAW_VERTEX_BUFFER_TOO_SMALL, _INDEX_BUFFER_TOO_SMALL',
  },
  'pipeline-undefined': {
    severity: 'warning',
    title: 'Something that Direct3D leaves undefined',
    explanation:
      'The draw does something whose result Direct3D leaves undefined. The message says what, and what Heddle does.',
    source: 'functional specification',
  },
  'pipeline-budget': {
    severity: 'error',
    title: 'Draw that takes too long',
    explanation:
      'The draw was stopped by its limit of time or of work. The message says what had used it up. Contents of what it writes are those of the primitives finished before.',
    source: 'Heddle',
  },
  'pipeline-clear': {
    severity: 'error',
    title: 'Clear that Direct3D does not have',
    explanation:
      'Clears take four numbers; the float clear of an unordered access view needs a typed view of a FLOAT, UNORM or SNORM format; rectangles need a view of a Texture2D; a depth-stencil view that is read-only cannot be cleared through.',
    source: 'functional specification 5.2.3',
  },
  'pipeline-copy': {
    severity: 'error',
    title: 'Copy between resources that do not fit',
    explanation:
      'Copies move bytes: both resources are buffers or both textures, of formats of one typeless family (or of a block format and an integer format of the same size), the region lies inside both, in whole blocks and whole structures, and multisample and depth textures are copied by whole subresources with equal sample counts.',
    source: 'functional specification 5.6.2, 5.6.3 and 5.6.5',
  },
  'pipeline-resolve': {
    severity: 'error',
    title: 'Resolve between textures that do not fit',
    explanation:
      'A resolve averages a whole multisample subresource into a single-sample one of the same size. Typed textures have the format of the resolve, typeless ones a format of its family, and the format can be averaged: no integers, no depth.',
    source: 'functional specification 5.6.6 and 19.2.4',
  },
  'pipeline-mips': {
    severity: 'error',
    title: 'Mips that cannot be generated',
    explanation:
      'Mips are generated through a shader resource view of a texture with one sample and a format that Direct3D can render to and filter.',
    source: 'functional specification 19.1.4; win32 reference, ID3D11DeviceContext::GenerateMips',
  },
} as const satisfies Record<string, CodeInfo>
