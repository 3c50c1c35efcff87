import type { CodeInfo } from './code-info.ts'

/** Codes of the room `validate`: one a rule. */
export const VALIDATE_CODES = {
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
  'validate-opcode-model': {
    severity: 'error',
    title: 'Instruction of a later shader model',
    explanation:
      'The instruction does not exist in the shader model that the version token names. Some of 5.0 are also in 4.x: raw and structured reads in every stage, writes and sync in compute shaders.',
    source: 'functional specification 18.7.2.4, 18.7.2.5, 22.1',
  },
  'validate-opcode-stage': {
    severity: 'error',
    title: 'Instruction of another stage',
    explanation:
      'discard and derivatives are for pixel shaders, emit and cut for geometry shaders, phases for hull shaders, thread groups for compute shaders.',
    source: 'functional specification 22.1',
  },
  'validate-derivative-stage': {
    severity: 'error',
    title: 'Sample that needs derivatives outside a pixel shader',
    explanation:
      'sample, sample_b and sample_c take the level of detail from differences between neighboring pixels. Other stages have no neighbors: they give the level, or its gradients, themselves.',
    source: 'functional specification 7.2',
  },
  'validate-feature-flag': {
    severity: 'error',
    title: 'Optional feature that is not declared',
    explanation:
      'Doubles, their 11.1 extensions and msad are optional: the global flags must ask for them, so that a device without them refuses the shader.',
    source: 'functional specification 22.3.2',
  },
  'validate-sync-flags': {
    severity: 'error',
    title: 'Sync with flags that do not go together',
    explanation:
      'Graphics stages have sync_uglobal alone. In a compute shader at least one fence is named, and UAVs are fenced for the group or for the whole device, not both.',
    source: 'functional specification 22.17.7',
  },
  'validate-system-value': {
    severity: 'error',
    title: 'System value in the wrong place',
    explanation:
      'Tessellation factors are patch constants, is_front_face and the sample index are generated for pixel shaders, and a vertex shader reads nothing that a later stage generates.',
    source: 'functional specification 4.4.4, 4.4.5, 10.10',
  },
  'validate-downlevel-uav': {
    severity: 'error',
    title: 'Second UAV in cs_4_x',
    explanation:
      'Hardware below Direct3D 11 binds one raw or structured UAV at a time. Join the data into one buffer, or use Shader Model 5.0.',
    source: 'functional specification 18.7.2.2',
  },
  'validate-downlevel-shared-count': {
    severity: 'error',
    title: 'Shared memory that is not one structure per thread',
    explanation:
      'In cs_4_0 and cs_4_1 a g# has exactly as many structures as the group has threads. That is how the hardware finds the part that a thread may write.',
    source: 'functional specification 18.7.2.9',
  },
  'validate-downlevel-shared-stride': {
    severity: 'error',
    title: 'Too much shared memory per thread',
    explanation:
      'In cs_4_0 and cs_4_1 the strides of all g# together are limited by the number of threads: 256 bytes for up to 64 threads, 16 bytes for 768.',
    source: 'functional specification 18.7.2.8',
  },
  'validate-downlevel-shared-write': {
    severity: 'error',
    title: 'Write to the shared memory of another thread',
    explanation:
      'In cs_4_0 and cs_4_1 a thread writes only its own structure, indexed by vThreadIDInGroupFlattened, at a byte offset that is a number. It may read all of them.',
    source: 'functional specification 18.7.2.9',
  },
  'validate-eval-position': {
    severity: 'error',
    title: 'Evaluation of the position',
    explanation:
      'eval_snapped, eval_sample_index and eval_centroid evaluate attributes; the position is not one of them. It is computed for the pixel, not interpolated at a place that the program gives.',
    source: 'functional specification 22.4.23, 22.4.24, 22.4.25',
  },
  'validate-block-pairing': {
    severity: 'error',
    title: 'Block that is not opened or not closed',
    explanation:
      'if, loop and switch end with endif, endloop and endswitch, nested without crossing; an else stands once in its if, and a label in no block.',
    source: 'functional specification 22.7',
  },
  'validate-block-nesting': {
    severity: 'error',
    title: 'Blocks nested too deep',
    explanation:
      'Blocks nest 64 deep in the main program and in each subroutine; beyond that behavior is undefined. Move the inner blocks to a subroutine, or flatten them.',
    source: 'functional specification 7.12',
  },
  'validate-break': {
    severity: 'error',
    title: 'Break or continue outside a loop',
    explanation:
      'break leaves a loop or switch, continue starts a loop again; neither means anything elsewhere. A block that was removed around them leaves such instructions behind.',
    source: 'functional specification 22.7.6, 22.7.8',
  },
  'validate-case': {
    severity: 'error',
    title: 'Case out of place',
    explanation:
      'case and default stand in a switch, directly, each value once and one default; no code stands before the first of them.',
    source: 'functional specification 22.7.12, 22.7.13, 22.7.18',
  },
  'validate-case-fall-through': {
    severity: 'error',
    title: 'Code that runs into the next case',
    explanation:
      'Cases may share their code by standing together. Code must leave its case before the next one begins. Repeat the shared code in both, or end it with a break.',
    source: 'functional specification 22.7.18',
  },
  'validate-missing-ret': {
    severity: 'error',
    title: 'No ret at the end',
    explanation:
      'The main program, every phase and every subroutine end with an unconditional ret. Without it execution runs into whatever comes behind: another subroutine, another phase, or nothing.',
    source: 'functional specification 22.7.16, 22.7.17',
  },
  'validate-label': {
    severity: 'error',
    title: 'Label missing or doubled',
    explanation:
      'A call goes to a label that is there once. With none the call goes nowhere, with two its target is ambiguous.',
    source: 'functional specification 22.7.10, 22.7.15',
  },
  'validate-recursion': {
    severity: 'error',
    title: 'Recursion',
    explanation:
      'A subroutine must not call itself, neither directly nor through others. There is no stack for parameters, and implementations inline every call.',
    source: 'functional specification 22.7.10',
  },
  'validate-call-depth': {
    severity: 'error',
    title: 'Calls nested too deep',
    explanation:
      'The return address stack has 32 entries; a deeper call is skipped. Merge subroutines that only pass calls on.',
    source: 'functional specification 22.7.10',
  },
  'validate-divergent-sync': {
    severity: 'warning',
    title: 'Threads wait in divergent flow control',
    explanation:
      'A sync that waits for the whole group stands in a block whose condition is computed from the number of the thread. Unless the computation makes it the same for all threads, some never come to it and the group hangs or goes on without them. Move the sync out of the block.',
    source: 'functional specification 22.17.7',
  },
  'validate-function-list': {
    severity: 'error',
    title: 'List of another length than stated',
    explanation:
      'A function table states how many bodies it lists, an interface how many tables. A reader that trusts the number takes the wrong list.',
    source: 'functional specification 22.3.50, 22.3.51',
  },
  'validate-function-body': {
    severity: 'error',
    title: 'Function body not declared or without code',
    explanation:
      'Every declared function body has its code at a label of the same number, and the other way round. A body without code could not be called, code without a declaration could not be chosen.',
    source: 'functional specification 22.3.49',
  },
  'validate-function-table': {
    severity: 'error',
    title: 'Table of undeclared bodies',
    explanation:
      'A function table lists function bodies that are declared. The table is what a class linkage fills call sites from; an unknown body leaves a call site empty.',
    source: 'functional specification 22.3.50',
  },
  'validate-interface': {
    severity: 'error',
    title: 'Interface that does not fit its tables',
    explanation:
      'An interface lists declared function tables, each with one body for each of its call sites. Whatever table is chosen at run time must have something for every call.',
    source: 'functional specification 22.3.51',
  },
  'validate-interface-call': {
    severity: 'error',
    title: 'Call through an interface that is not there',
    explanation:
      'fcall names a declared pointer and a call site that its interface has; a register may choose the pointer only where the interface is declared dynamicindexed.',
    source: 'functional specification 22.7.19',
  },
  'validate-interface-limit': {
    severity: 'error',
    title: 'Too many interface pointers',
    explanation:
      'All interfaces of a program together have at most 253 pointers. The limit bounds the data that goes to the driver with each binding.',
    source: 'functional specification 22.3.51',
  },
  'validate-call-site-limit': {
    severity: 'error',
    title: 'Too many interface call targets',
    explanation:
      'Interface calls have at most 4096 targets in all; a call whose pointer is chosen by a register counts for every pointer of its array.',
    source: 'functional specification 22.3.51',
  },
  'validate-phase-order': {
    severity: 'error',
    title: 'Hull shader phases out of order',
    explanation:
      'A hull shader has its declarations, then at most one control point phase, then fork phases, then join phases, then function bodies.',
    source: 'functional specification 10.6',
  },
  'validate-stage-declaration': {
    severity: 'error',
    title: 'Declaration that the stage needs is missing',
    explanation:
      'Geometry shaders declare their input primitive, largest number of vertices and, where they have outputs, output topology; hull shaders their control points and the tessellator; domain shaders their domain.',
    source: 'functional specification 22.3.5, 22.3.6, 22.3.8, 10.3',
  },
  'validate-stage-choice': {
    severity: 'error',
    title: 'Value that is none of the choices',
    explanation:
      'The declaration holds a number that stands for no primitive, topology, domain or partitioning. The stage before or behind cannot be set up for it.',
    source: 'functional specification 22.3',
  },
  'validate-control-point-count': {
    severity: 'error',
    title: 'Impossible number of control points',
    explanation:
      'A patch has 1 to 32 control points; a hull shader may put out none. Patches are assembled from that many vertices, and the hardware has room for 32.',
    source: 'functional specification 22.3.18, 22.3.19',
  },
  'validate-tessellator': {
    severity: 'error',
    title: 'Output primitive that the domain does not have',
    explanation:
      'Isolines are put out as points or lines, triangles and quads as points or triangles. The domain decides what connectivity the tessellator makes.',
    source: 'functional specification 11.7.15',
  },
  'validate-pass-through': {
    severity: 'error',
    title: 'Control points that nothing writes',
    explanation:
      'Without a control point phase control points pass through, so that their number stays the same or becomes 0. Add a control point phase that makes the other points.',
    source: 'functional specification 10.6',
  },
  'validate-max-tess-factor': {
    severity: 'error',
    title: 'Largest tessellation factor out of range',
    explanation:
      'The largest tessellation factor is a float from 1 to 64. The tessellator takes no larger factors, and smaller ones than 1 cull the patch.',
    source: 'functional specification 22.3.20',
  },
  'validate-phase-instances': {
    severity: 'error',
    title: 'Instance count out of place',
    explanation:
      'The instance count of a fork or join phase stands in that phase and is at least 1. Instances of a phase that is not there cannot run.',
    source: 'functional specification 22.3.24, 22.3.27',
  },
  'validate-vertex-count': {
    severity: 'error',
    title: 'Impossible number of vertices',
    explanation:
      'A geometry shader declares 1 to 1024 vertices, of at most 1024 scalars in all, and at most 1024 over all its instances.',
    source: 'functional specification 22.3.5, 22.3.7',
  },
  'validate-gs-instances': {
    severity: 'error',
    title: 'Impossible number of instances',
    explanation: 'A geometry shader has 1 to 32 instances. Emit more vertices in each, or draw more than once.',
    source: 'functional specification 22.3.7',
  },
  'validate-stream': {
    severity: 'error',
    title: 'Stream that is not there or declared twice',
    explanation:
      'There are the streams m0 to m3; one that is written is declared, once. Declare it before the outputs that belong to it.',
    source: 'functional specification 22.3.9',
  },
  'validate-stream-emit': {
    severity: 'error',
    title: 'Emit without a stream where there are several',
    explanation:
      'With more than one stream every emit and cut names the stream that it is for. Use emit_stream and cut_stream.',
    source: 'functional specification 13.5.2',
  },
  'validate-vertex-axis': {
    severity: 'error',
    title: 'Vertex that the primitive or patch does not have',
    explanation:
      'The first index of vertex data is the vertex or control point. There are as many as the declared primitive or patch has, both in declarations and where a number is read.',
    source: 'functional specification 13.10, 22.3.10',
  },
  'validate-tess-factor-domain': {
    severity: 'error',
    title: 'Tessellation factor of another domain',
    explanation:
      'Quads, triangles and isolines have factors of their own; the declared domain says which the tessellator reads. Others would be taken for plain data, and its own would be missing.',
    source: 'functional specification 10.10',
  },
  'validate-control-point-size': {
    severity: 'error',
    title: 'Control points too large',
    explanation:
      'All output control points together have at most 3968 scalars: the storage of the hull shader less what patch constants take.',
    source: 'functional specification 10.7',
  },
  'validate-stream-topology': {
    severity: 'error',
    title: 'Several streams of more than points',
    explanation:
      'A geometry shader with more than one stream puts out points in each. Strips of lines and triangles need a geometry shader with one stream.',
    source: 'functional specification 13.5.2',
  },
  'validate-index-range': {
    severity: 'error',
    title: 'Index range out of shape',
    explanation:
      'An index range names two or more registers that exist, of which some are declared; outputs of a pixel shader cannot be indexed.',
    source: 'functional specification 22.3.30',
  },
  'validate-index-range-overlap': {
    severity: 'error',
    title: 'Index ranges overlap',
    explanation:
      'Index ranges of one register file do not share components. Where two ranges meet, one range declares them both.',
    source: 'functional specification 22.3.30',
  },
  'validate-signature-register': {
    severity: 'error',
    title: 'Declared register that the signature lacks',
    explanation:
      'The runtime links stages by their signatures; a register or component that the program declares and the signature does not have gets no data or goes nowhere.',
    source: 'functional specification 4.4.3.2',
  },
  'validate-signature-system-value': {
    severity: 'error',
    title: 'System value that the signature does not say',
    explanation:
      'The declaration and the signature must agree on what the hardware puts into a register or takes from it. Otherwise the stages are linked by one and run by the other.',
    source: 'functional specification 4.4.4, 4.4.5',
  },
  'validate-signature-overlap': {
    severity: 'error',
    title: 'Elements that share a component',
    explanation:
      'Two elements of a signature stand in the same component of a register. The stage on the other side could not know which of them it reads.',
    source: 'functional specification 4.4.3.2',
  },
} as const satisfies Record<string, CodeInfo>
