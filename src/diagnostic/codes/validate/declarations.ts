import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of declarations and of registers without one. */
export const DECLARATION_RULES = {
  'validate-undeclared-temp': {
    severity: 'error',
    title: 'Temporary register not declared',
    explanation:
      'dcl_temps says how many r# there are, counted from r0; in a hull shader each phase has its own. Raise the number in dcl_temps, or use a lower register.',
    source: 'functional specification 22.3.35',
  },
  'validate-undeclared-array': {
    severity: 'error',
    title: 'Temporary array not declared',
    explanation:
      'Every x# is declared with its size before it is used; in a hull shader in the same phase. Add a dcl_indexableTemp with the number of elements that the program indexes.',
    source: 'functional specification 22.3.36',
  },
  'validate-array-bounds': {
    severity: 'error',
    title: 'Element past the end of a temporary array',
    explanation:
      'The element is a number and not below the declared size. What such an access reads or writes is undefined. Declare a larger array or use an element that is there.',
    source: 'functional specification 7.3',
  },
  'validate-undeclared-register': {
    severity: 'error',
    title: 'Input or output not declared',
    explanation:
      'Each input that is read and each output that is written stands in a declaration, with every component that is used.',
    source: 'functional specification 22.3.10, 22.3.31',
  },
  'validate-index-range-missing': {
    severity: 'error',
    title: 'Indexed register without an index range',
    explanation:
      'Inputs and outputs can be chosen at run time only where dcl_indexrange declares which registers may be meant. Without a range the implementation may keep the registers where no index reaches them.',
    source: 'functional specification 22.3.30',
  },
  'validate-undeclared-binding': {
    severity: 'error',
    title: 'Resource, sampler, UAV, buffer or shared memory not declared',
    explanation:
      'Whatever a program accesses is declared first: its kind and, in Shader Model 5.1, the range of registers that the access must stay in.',
    source: 'functional specification 22.3',
  },
  'validate-constant-bounds': {
    severity: 'error',
    title: 'Element past the declared constant buffer',
    explanation:
      'The element is a number and not below the declared size. Reading there gives 0 or whatever the bound buffer has, as the implementation likes.',
    source: 'functional specification 7.5',
  },
  'validate-constant-indexing': {
    severity: 'error',
    title: 'Indexed constant buffer declared for literal indices',
    explanation:
      'A buffer that is declared immediateIndexed may be kept where only literal indices reach it; an index from a register needs dynamicIndexed.',
    source: 'functional specification 22.3.3',
  },
  'validate-immediate-constant-bounds': {
    severity: 'error',
    title: 'Element past the immediate constant buffer',
    explanation:
      "The element is a number and the program's immediate constant buffer ends before it, or there is none. Outside it reads give 0, which is rarely what is meant.",
    source: 'functional specification 7.5.1',
  },
  'validate-duplicate-binding': {
    severity: 'error',
    title: 'Binding declared twice',
    explanation:
      'A slot (in Shader Model 5.1 a range identifier) stands for one thing; a second declaration contradicts the first or repeats it.',
    source: 'functional specification 22.3',
  },
  'validate-duplicate-register': {
    severity: 'error',
    title: 'Register component declared twice',
    explanation:
      'Declarations may share a register, never a component of it: each component has one meaning and one interpolation.',
    source: 'functional specification 22.3.11',
  },
  'validate-duplicate-declaration': {
    severity: 'error',
    title: 'Declaration that may stand once',
    explanation:
      'Global flags, the thread group, the number of temporaries and each array are declared once (temporaries and arrays once a phase).',
    source: 'functional specification 22.3',
  },
  'validate-declaration-order': {
    severity: 'error',
    title: 'Declaration after the first instruction',
    explanation:
      'Declarations precede the instructions of the program or of the phase they are for. A reader may stop to look for declarations at the first instruction.',
    source: 'functional specification 22.3.1',
  },
  'validate-unwritten-temp': {
    severity: 'warning',
    title: 'Temporary register read and never written',
    explanation:
      'No instruction writes the component, so what is read is undefined. Temporaries have no initial value. Write it first, or read another register.',
    source: 'functional specification 7.3',
  },
  'validate-temp-limit': {
    severity: 'error',
    title: 'Too many temporary registers',
    explanation:
      'r# and the elements of all x# share 4096 registers of storage. Move large arrays to a buffer, or compute their elements where they are needed.',
    source: 'functional specification 22.3.35, 22.3.36',
  },
  'validate-array-declaration': {
    severity: 'error',
    title: 'Temporary array out of shape',
    explanation:
      'A temporary array has elements, of one to four components. With none there is nothing to index, with more there is no register to hold them.',
    source: 'functional specification 22.3.36',
  },
  'validate-slot-limit': {
    severity: 'error',
    title: 'Slot that does not exist',
    explanation:
      'Before Shader Model 5.1 a stage has 128 resources, 16 samplers, 15 constant buffers and 64 UAVs (8 before Direct3D 11.1, one in cs_4_x).',
    source: 'functional specification 5.3, 7.5, 18.7.2.2',
  },
  'validate-binding-range': {
    severity: 'error',
    title: 'Empty range of registers',
    explanation:
      'A declaration of Shader Model 5.1 names the first and the last register of a range; the last is below the first.',
    source: 'Shader Model 5.1, register ranges',
  },
  'validate-constant-buffer-size': {
    severity: 'error',
    title: 'Constant buffer too large',
    explanation:
      'A shader sees at most 4096 elements of 16 bytes of a constant buffer. What is larger is bound as a buffer resource and loaded.',
    source: 'functional specification 5.3.4.3',
  },
  'validate-register-limit': {
    severity: 'error',
    title: 'Input or output register that does not exist',
    explanation:
      'There are 32 registers of inputs and of outputs in a stage, and eight outputs of a pixel shader. Pack several values into the components of one register.',
    source: 'functional specification 9.5, 16.7',
  },
  'validate-thread-group': {
    severity: 'error',
    title: 'Thread group of an impossible size',
    explanation:
      'A compute shader declares its group once: x and y 1 to 1024, z 1 to 64, 1024 threads in all; 768 threads and 768 in x and y for cs_4_0 and cs_4_1.',
    source: 'functional specification 22.3.40, 18.7.2.6',
  },
  'validate-shared-memory-size': {
    severity: 'error',
    title: 'Too much thread group shared memory',
    explanation:
      'All g# together take at most 32 KB, in cs_4_0 and cs_4_1 16 KB. Share less per group, or make the groups smaller.',
    source: 'functional specification 22.3.45, 18.7.2.7',
  },
  'validate-shared-memory-declaration': {
    severity: 'error',
    title: 'Shared memory out of shape',
    explanation:
      'Raw shared memory is a number of bytes that is a multiple of 4; structured memory has at least one structure. The region would have no whole dword at its end, or none at all.',
    source: 'functional specification 22.3.45, 22.3.46',
  },
  'validate-stride': {
    severity: 'error',
    title: 'Structure of an impossible size',
    explanation:
      'The stride of a structure is a multiple of 4 bytes and not 0; in a buffer it is at most 2048 bytes. The buffer that is bound must have the same stride.',
    source: 'functional specification 22.3.44, 22.3.48',
  },
  'validate-declared-dimension': {
    severity: 'error',
    title: 'Dimension that cannot be declared',
    explanation:
      'Resources are typed buffers and textures (arrays of cubes since Shader Model 4.1); typed UAVs are buffers and textures that are neither cubes nor multisampled.',
    source: 'functional specification 22.3.12, 22.3.42',
  },
  'validate-return-type': {
    severity: 'error',
    title: 'Return type that does not exist',
    explanation:
      'Each component of a typed view is unorm, snorm, sint, uint, float, mixed or double (with its continuation), or unused.',
    source: 'functional specification 22.3.12',
  },
  'validate-sampler-declaration': {
    severity: 'error',
    title: 'Sampler mode that does not exist',
    explanation:
      'A sampler is declared for default, comparison or mono filtering. The number in the declaration is none of these, so that no sampler fits it.',
    source: 'functional specification 22.3.34',
  },
  'validate-interpolation': {
    severity: 'error',
    title: 'Interpolation mode that cannot stand there',
    explanation:
      'Inputs of a pixel shader are constant or interpolated in one of the defined ways; modes at samples came with Shader Model 4.1.',
    source: 'functional specification 16.4',
  },
  'validate-rasterizer-ordered': {
    severity: 'error',
    title: 'Rasterizer order outside a pixel shader',
    explanation:
      'Rasterizer ordered views order the accesses of overlapping pixels; no other stage has such an order. Other stages run in no order of pixels.',
    source: 'Direct3D 11.3, rasterizer ordered views',
  },
  'validate-downlevel-counter': {
    severity: 'error',
    title: 'Counter before Shader Model 5.0',
    explanation:
      'cs_4_0 and cs_4_1 have neither append and consume nor counters. Count with an element of the buffer itself, or use Shader Model 5.0.',
    source: 'functional specification 18.7.2.5',
  },
} as const satisfies Record<string, CodeInfo>
