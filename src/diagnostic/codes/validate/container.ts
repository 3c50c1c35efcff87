import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of containers, their signatures and versions. */
export const CONTAINER_RULES = {
  'validate-checksum': {
    severity: 'error',
    title: 'Checksum does not match',
    explanation:
      'The header holds a checksum over the rest of the container, and the runtime refuses a shader whose checksum is wrong. Programs with printf, errorf or abort carry another signature that only the debug layer accepts; those are not checked.',
    source: 'DXBC container header',
  },
  'validate-code-missing': {
    severity: 'error',
    title: 'No program',
    explanation:
      'The parts describe a shader (reflection, statistics, feature flags, interfaces), yet the part with its program, SHDR or SHEX, is not there. Libraries, effects, root signatures and signature-only containers are other things and are not judged.',
    source: 'DXBC container parts',
  },
  'validate-code-duplicate': {
    severity: 'error',
    title: 'More than one program',
    explanation:
      'A container holds one program. Readers take the first of several, or none. Remove the other, or keep the two shaders in two containers.',
    source: 'DXBC container parts',
  },
  'validate-feature-info': {
    severity: 'error',
    title: 'Feature flags that the program needs are missing',
    explanation:
      'UAVs in vertex, hull, domain and geometry shaders, and UAV slots from u8 on, need Direct3D 11.1. The part SFI0 must ask for them, so that a device without them refuses the shader.',
    source: 'functional specification 5.3.9; DXBC part SFI0',
  },
  'validate-signature-missing': {
    severity: 'error',
    title: 'Signature missing',
    explanation:
      'The runtime links stages by their signatures: input and output for every graphics stage, patch constants for hull and domain shaders. Without one the shader cannot be created.',
    source: 'functional specification 4.4.3.2',
  },
  'validate-signature-duplicate': {
    severity: 'error',
    title: 'More than one signature of a kind',
    explanation:
      'Forms of one signature (with streams, with minimum precisions) replace each other; a container has one of each kind.',
    source: 'DXBC container parts',
  },
  'validate-signature-stage': {
    severity: 'error',
    title: 'Patch constants outside tessellation',
    explanation:
      'Only a hull shader writes patch constants and only a domain shader reads them; another stage with such a signature has the signature of another shader.',
    source: 'functional specification 10.5',
  },
  'validate-version': {
    severity: 'error',
    title: 'Impossible shader model',
    explanation:
      'The version token gives the stage and the shader model. Direct3D 10 and 11 have six stages and the models 4.0, 4.1, 5.0 and 5.1; hull and domain shaders start with 5.0.',
    source: 'functional specification 22.2.1',
  },
} as const satisfies Record<string, CodeInfo>
