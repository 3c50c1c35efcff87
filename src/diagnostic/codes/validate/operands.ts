import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of tokens, operands and what instructions take. */
export const OPERAND_RULES = {
  'validate-spare-bits': {
    severity: 'warning',
    title: 'Bits that mean nothing are set',
    explanation:
      'The token format leaves these bits free. Readers ignore them today, and a later meaning would change what the program does; a writer leaves them 0.',
    source: 'd3d12TokenizedProgramFormat.hpp',
  },
  'validate-saturate': {
    severity: 'error',
    title: 'Saturate on what is no float result',
    explanation:
      'Saturation clamps a float or double result to 0 to 1. Only arithmetic with such results, moves and samples have it.',
    source: 'functional specification 22.19.1',
  },
  'validate-precise': {
    severity: 'error',
    title: 'Precise without a result',
    explanation:
      'The precise mask marks components of a result that must not be refactored. An instruction without a result has nothing to mark.',
    source: 'functional specification 22.19.2',
  },
  'validate-extended-opcode': {
    severity: 'error',
    title: 'Extended opcode token out of place',
    explanation:
      'Extended tokens hold texel offsets, or the dimension and the return type of a resource. They stand on instructions that use them, each kind once, the resource ones together and from Shader Model 5.0 on.',
    source: 'd3d12TokenizedProgramFormat.hpp, OpcodeToken1',
  },
  'validate-parameter-count': {
    severity: 'error',
    title: 'Wrong number of dwords',
    explanation:
      'Beside its operands a statement has the dwords that its row names. Fewer leave a value undefined, more would be skipped without being understood.',
    source: 'd3d12TokenizedProgramFormat.hpp',
  },
  'validate-operand-token': {
    severity: 'error',
    title: 'Operand token that means nothing',
    explanation:
      'The register file, number of components, selection mode or modifier of the operand has a number that the format does not define.',
    source: 'd3d12TokenizedProgramFormat.hpp, OperandToken0',
  },
  'validate-return-type-control': {
    severity: 'error',
    title: 'Return type that does not exist',
    explanation:
      'resinfo returns floats, reciprocals or integers, sampleinfo floats or integers; the field holds another number.',
    source: 'functional specification 22.4.14, 22.4.21',
  },
  'validate-immediate-constant-buffer': {
    severity: 'error',
    title: 'Immediate constant buffer out of shape',
    explanation:
      'A program has at most one immediate constant buffer of 1 to 4096 elements, each of four dwords. Larger tables belong in a constant buffer or a resource.',
    source: 'functional specification 22.3.4',
  },
  'validate-operand-file': {
    severity: 'error',
    title: 'Register file that cannot stand there',
    explanation:
      'Each operand has a role: results go to temporaries and outputs, values come from temporaries, inputs, constants and literals, and resources, samplers, labels and streams are only named where an instruction asks for one. Outputs cannot be read back, and null stands only where a result may be dropped.',
    source: 'functional specification 7.3, 22',
  },
  'validate-register-stage': {
    severity: 'error',
    title: 'Register of another stage',
    explanation:
      'Registers such as vThreadID, oDepth or vDomain exist in their stage alone, and compute shaders have neither v# nor o#.',
    source: 'functional specification 9.5, 10.7, 12, 13.9, 16.7, 18.6.10',
  },
  'validate-phase-register': {
    severity: 'error',
    title: 'Register of another hull shader phase',
    explanation:
      'The control point phase reads v#[], fork and join phases read vicp and vocp, the join phase also vpc; instance ids belong to their own phase.',
    source: 'functional specification 10.7, 10.8, 10.9',
  },
  'validate-index-dimension': {
    severity: 'error',
    title: 'Wrong number of indices',
    explanation:
      'Temporaries have one index, constant buffers two (three in Shader Model 5.1), vertex data of geometry and hull shaders two, bindings of Shader Model 5.1 a range and a register. With another number the register is not named.',
    source: 'd3d12TokenizedProgramFormat.hpp, operand index dimension',
  },
  'validate-index-form': {
    severity: 'error',
    title: 'Index that cannot come from a register',
    explanation:
      'Temporaries, labels, streams and declared registers are named by number. Element indices may come from a register, slots of resources, samplers and constant buffers only from Shader Model 5.0 on, UAVs from 5.1 on. 64-bit indices are in the format and in no shader model.',
    source: 'functional specification 7.11, 7.8.6',
  },
  'validate-index-register': {
    severity: 'error',
    title: 'Register that cannot be an index',
    explanation:
      'An index is one 32-bit component of a register with a value, plus a number. It has no modifier, and arrays nest one level deep.',
    source: 'functional specification 7.3, 7.8.6',
  },
  'validate-source-modifier': {
    severity: 'error',
    title: 'Modifier that the operand cannot have',
    explanation:
      'Negation works on floats, doubles and integers, the absolute value on floats and doubles. Bit operations, tests and named things have neither.',
    source: 'functional specification 22.18',
  },
  'validate-component-selection': {
    severity: 'error',
    title: 'Mask where a swizzle belongs, or the other way round',
    explanation:
      'Results have a write mask; what is read has a swizzle or one selected component. The components would be taken from the wrong bits of the token.',
    source: 'd3d12TokenizedProgramFormat.hpp, component selection mode',
  },
  'validate-scalar-operand': {
    severity: 'error',
    title: 'More than one component where one is used',
    explanation:
      'Conditions, byte offsets, structure indices, mip levels, reference values and results of atomics are single components. A swizzle of several leaves open which one is meant.',
    source: 'functional specification 22.4, 22.7, 22.17',
  },
  'validate-write-mask': {
    severity: 'error',
    title: 'Empty write mask',
    explanation:
      'A result without any component writes nothing. Where a result is to be dropped, null stands in its place. The runtime refuses the shader.',
    source: 'd3d12TokenizedProgramFormat.hpp, write mask',
  },
  'validate-double-mask': {
    severity: 'error',
    title: 'Write mask that splits a double',
    explanation:
      'A double takes two components of a register: .xy or .zw. A mask may have one or both pairs, never a half. Half a double has no meaning of its own.',
    source: 'functional specification 22.14',
  },
  'validate-double-swizzle': {
    severity: 'error',
    title: 'Swizzle that splits a double',
    explanation:
      'The two components of a double are read together and in order: .xy or .zw in either place. With halves from different doubles the value is none that the program ever computed.',
    source: 'functional specification 22.14',
  },
  'validate-min-precision': {
    severity: 'error',
    title: 'Minimum precision that is not enabled',
    explanation:
      'An operand may be computed at a lower precision only where the program declares enableMinimumPrecision, and the formats define 16-bit float, 10-bit fixed, and 16-bit integers.',
    source: 'functional specification 7.20.3.2',
  },
  'validate-non-uniform': {
    severity: 'error',
    title: 'Non-uniform index before Shader Model 5.1',
    explanation:
      'The mark that an index may differ between lanes came with Shader Model 5.1; earlier models have uniform indices only.',
    source: 'functional specification 7.11',
  },
  'validate-shift-amount': {
    severity: 'error',
    title: 'Shift amounts that differ',
    explanation:
      'In Shader Model 4 a shift takes one amount for all components; amounts by component came with 5.0. Replicate one component, or shift in several instructions.',
    source: 'functional specification 22.11.7',
  },
  'validate-store-mask': {
    severity: 'error',
    title: 'Write mask that a store cannot have',
    explanation:
      'Raw and structured stores write 1 to 4 dwords without gaps: .x, .xy, .xyz or .xyzw. Typed stores write all four components.',
    source: 'functional specification 22.4.9, 22.4.11, 22.4.13',
  },
  'validate-access-dimension': {
    severity: 'error',
    title: 'Instruction that does not fit the resource',
    explanation:
      'Samples read textures that are not multisampled; ld reads buffers and textures that are no cubes; ldms multisampled textures; gather4 two-dimensional textures and cubes; raw, structured and typed accesses what is declared so; counters structured UAVs.',
    source: 'functional specification 22.4',
  },
  'validate-resource-tokens': {
    severity: 'error',
    title: 'Resource described in two ways',
    explanation:
      'Since Shader Model 5.0 an instruction repeats the dimension (and stride) of its resource. It must say what the declaration says.',
    source: 'functional specification 7.11.6',
  },
  'validate-sample-offset': {
    severity: 'error',
    title: 'Texel offsets on a cube or buffer',
    explanation:
      'Offsets in texels move coordinates on a plane, a line or in a volume; cube faces and buffers have none. Move the coordinates themselves instead.',
    source: 'functional specification 22.4.15',
  },
  'validate-address-components': {
    severity: 'error',
    title: 'Too few address components',
    explanation:
      'A raw address is one byte offset, a structured one an index and a byte offset, a typed one as many coordinates as the view has dimensions, and both live in one operand for atomics. A single component cannot give two.',
    source: 'functional specification 7.13, 22.17',
  },
  'validate-typed-atomic': {
    severity: 'error',
    title: 'Atomic on a UAV that is not R32 uint or sint',
    explanation:
      'Atomics on a typed UAV need 32-bit integers: the UAV must be declared as uint or sint. Only an exchange, which does not compute, may move 32-bit floats.',
    source: 'functional specification 22.17.8',
  },
  'validate-counter-mixed': {
    severity: 'error',
    title: 'Alloc and consume on one UAV',
    explanation:
      'The hidden counter of a UAV goes up or down in a program, not both: an index that one thread allocates could be consumed by another before it is written.',
    source: 'functional specification 5.3.10.2',
  },
  'validate-sampler-mode': {
    severity: 'error',
    title: 'Sampler of the wrong mode',
    explanation:
      'Comparison samples and gathers need a sampler declared mode_comparison, the others one that is not. The mode says which states of a bound sampler are honored, so that a wrong one samples in an undefined way.',
    source: 'functional specification 22.3.34',
  },
  'validate-comparison-component': {
    severity: 'error',
    title: 'Comparison of another component than red',
    explanation:
      'A comparison sample compares the red component; the swizzle of its resource must say .x. Other components take no part in the comparison, and the runtime refuses the shader.',
    source: 'functional specification 22.4.19',
  },
  'validate-structure-offset': {
    severity: 'error',
    title: 'Byte offset outside the structure',
    explanation:
      'A structured access reads or writes within one structure at a multiple of 4 bytes. Past its end a load is undefined and a store makes the whole UAV undefined.',
    source: 'functional specification 22.4.12, 22.4.13',
  },
  'validate-gather-component': {
    severity: 'error',
    title: 'Gather of a component that cannot be gathered',
    explanation:
      'The component that a gather takes stands on its sampler. Shader Model 4.1 gathers red alone; 5.0 can choose, for comparisons too, although formats that compare have no other component.',
    source: 'functional specification 22.4.2, 22.4.3',
  },
  'validate-result-components': {
    severity: 'error',
    title: 'More results than doubles',
    explanation:
      'Two doubles fit a register, so an operation on doubles that gives one dword each has two results at most. A third component would have no double to come from.',
    source: 'functional specification 22.15',
  },
} as const satisfies Record<string, CodeInfo>
