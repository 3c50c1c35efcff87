import type { CodeInfo } from './code-info.ts'

/** What stops a program from being loaded or a dispatch from starting. */
const REFUSALS = {
  'engine-stage': {
    severity: 'error',
    title: 'Not a compute shader',
    explanation:
      'Only compute shaders are dispatched. The version token of the program names another stage; the other stages can be listed, assembled and validated, not run.',
    source: 'functional specification 18',
  },
  'engine-declaration': {
    severity: 'error',
    title: 'Unsupported declarations',
    explanation:
      'To run a group an engine must know its threads, registers and memory. A declaration is missing, stands twice, or is of more than Direct3D has: 1024 threads a group, 32768 bytes of shared memory, 4096 temporary registers.',
    source: 'functional specification 18.6.6 and 22.3',
  },
  'engine-flow': {
    severity: 'error',
    title: 'Flow control that does not nest',
    explanation:
      'if, loop and switch open blocks that must be closed in order, break and continue must stand inside what they leave, case labels directly inside a switch, and calls must name a label that exists. Here they do not, so there is no meaning to run.',
    source: 'functional specification 22.7',
  },
  'engine-operand': {
    severity: 'error',
    title: 'Operand that cannot be executed',
    explanation:
      'The operand names a register that is not declared, a register file that this instruction or stage does not have, or an index that is not allowed there. The validator says more about such programs.',
    source: 'functional specification 22.3',
  },
  'engine-instruction': {
    severity: 'error',
    title: 'Instruction that a compute shader cannot execute',
    explanation:
      'Instructions that need pixels, vertices or patches (derivatives, implicit level of detail, discard, emit, hull shader phases) mean nothing in a compute shader. The runtime refuses such a program.',
    source: 'functional specification 22.1.1',
  },
  'engine-class-instance': {
    severity: 'error',
    title: 'Class instance that does not fit its interface',
    explanation:
      'Each interface pointer of a shader (fp#) takes a class instance whose function table is one of those the interface declares, and whose constant buffer, texture and sampler registers exist. In Direct3D 11 the wrong type makes CSSetShader fail.',
    source: 'functional specification 7.19',
  },
  'engine-invalid-option': {
    severity: 'error',
    title: 'Impossible dispatch option',
    explanation:
      'An option of the device, shader or dispatch is outside what it may be. Budgets and counts are whole numbers, policies are one of a few words.',
  },
  'engine-foreign-shader': {
    severity: 'error',
    title: 'Shader of another device or engine',
    explanation:
      'A loaded shader holds what its engine made of it, code bound to one memory among it, and only that engine and device can dispatch it. Make the shader again with the device that is to run it.',
  },
  'engine-foreign-resource': {
    severity: 'error',
    title: 'Resource of another device',
    explanation:
      'A buffer or texture lies in the memory of the device that made it. Make the resource with the device that runs the dispatch, and copy what it holds: `write(other.read("u8"))`.',
  },
  'engine-missing-binding': {
    severity: 'error',
    title: 'Declared slot that nothing was bound to',
    explanation:
      'The shader declares the slot and the dispatch binds nothing to it. Direct3D would read 0 there and drop what is written; that is rarely what was meant, so a device refuses it unless you allow it: name the slot in the option `unbound`, as in `unbound: ["t0"]`, or give `unbound: "zero"` for all of them.',
    source: 'functional specification 7.18.17 and 22.4',
  },
  'engine-not-compiled': {
    severity: 'error',
    title: 'Work that the WebAssembly engine does not compile',
    explanation:
      'The program or the dispatch needs something that the WebAssembly engine has no code for; the message names it. The reference engine runs it, many times slower; a device and `heddle run` use it then on their own.',
  },
  'engine-code-size': {
    severity: 'error',
    title: 'Program too large to be compiled',
    explanation:
      'Loops that are nested deep around many registers, and samples with many taps, become far more code than the program has instructions. Beyond 150000 values, 20000 merges of registers, 256 nested regions, 1024 blocks around barriers, 8 million values of locals at branches or 2 million bytes of code the WebAssembly engine gives up instead of taking seconds and gigabytes; the reference engine runs the program, many times slower, up to a million steps over registers (thousands of sincos of four components). Split the shader, or nest its loops less deep.',
  },
  'engine-fallback': {
    severity: 'hint',
    title: 'Reference engine runs what is not compiled',
    explanation:
      'The WebAssembly engine has no code for the program; its reason stands in the message; or there is no room in its memory (dispose of resources that are no longer used), or the host has no WebAssembly with SIMD and shared memory (a content security policy needs `wasm-unsafe-eval`), which a device reports once, as a warning. The reference engine gives the same results, many times slower.',
  },
  'engine-compiler': {
    severity: 'error',
    title: 'Defect of the compiler of the WebAssembly engine',
    explanation:
      'The compiler met something it did not expect: a defect of it, or a program nested too deep for the stack of the host. The reference engine runs the program; a device and `heddle run` use it then on their own. Please report the program.',
  },
  'engine-assertion': {
    severity: 'error',
    title: 'Claim of the WebAssembly compiler does not hold',
    explanation:
      'Code made with assertions, as tests of Heddle make it, holds values against what the compiler takes for granted about them: bits that are 0, numbers that are no denormals, addresses that are in bounds. One of these claims failed at the statement, so the compiler has a defect, and code without assertions may give a wrong result there. Please report the program.',
  },
  'engine-code-trap': {
    severity: 'error',
    title: 'Compiled code trapped',
    explanation:
      'Code of the WebAssembly engine checks every address before it uses it, and the host checks once more that it stays inside the memory of the device. The host stopped the code, so a check of the compiler is wrong. The message names the statement where the host says where it stopped. What the dispatch had written until then stays, so take the contents of its UAVs as undefined. The reference engine runs the program. Please report it.',
  },
  'engine-memory': {
    severity: 'error',
    title: 'No room in the memory of the WebAssembly engine',
    explanation:
      'All that a dispatch of the WebAssembly engine touches lies in one memory of at most 4 GiB, and the host may grant less. Resources, or copies of those that lie elsewhere, do not fit. The reference engine runs the dispatch over memory of any kind, many times slower; a device and `heddle run` use it then on their own.',
  },
  'engine-indirect': {
    severity: 'error',
    title: 'Impossible indirect arguments',
    explanation:
      'DispatchIndirect reads three 32-bit group counts from a buffer at a byte offset that is a multiple of 4; all 12 bytes must lie in the buffer.',
    source: 'functional specification 18.6.5',
  },
  'engine-threads': {
    severity: 'hint',
    title: 'Fewer threads than were wanted',
    explanation:
      'Groups run on several threads where workers can share memory. Results are the same without, only later; a device says so once. Pages must be cross-origin isolated, which they are when served with the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, and a content security policy must allow worker-src blob:. `threads: 1` asks for one thread and says nothing.',
  },
} as const satisfies Record<string, CodeInfo>

/** What ends a dispatch before its threads do. */
const STOPS = {
  'engine-budget': {
    severity: 'error',
    title: 'Instruction budget used up',
    explanation:
      'A thread executed more instructions than the caller allows. Most often a loop does not end: its condition never holds, for example since a counter is compared with a value it steps over, or since another thread was to change memory without a barrier. The results so far stay in the resources.',
  },
  'engine-time': {
    severity: 'error',
    title: 'Time is up',
    explanation:
      'The dispatch took longer than `maxMilliseconds` allows (`--max-time` of the command line). Either it is too large, or loops of it wait for what never comes, without using up their budget of instructions soon. Groups that had begun may have written part of what they write; those after did not run.',
  },
  'engine-canceled': {
    severity: 'error',
    title: 'Dispatch was canceled',
    explanation:
      'The AbortSignal of the dispatch was aborted, or its device disposed of. Groups that had begun may have written part of what they write; those after did not run.',
  },
  'engine-snapshot': {
    severity: 'error',
    title: 'Snapshot of another execution',
    explanation:
      'A snapshot holds registers, shared memory and resources as they lie in one execution. It can be restored in that execution, and in others of the same shader, options, group counts and bindings; this one has other sizes.',
  },
  'engine-worker': {
    severity: 'error',
    title: 'Thread that ran groups died',
    explanation:
      'A worker of the WebAssembly engine ended or failed in the middle of a dispatch: the host ran out of memory, or something terminated it. It takes no further part. Its groups are run again where that gives the same result; where it may not, the contents of what the dispatch writes are undefined.',
  },
  'engine-abort': {
    severity: 'error',
    title: 'Shader aborted',
    explanation: 'A thread executed abort, which ends the whole dispatch. Results so far stay in the resources.',
  },
  'engine-debug-break': {
    severity: 'hint',
    title: 'Shader requested the debugger',
    explanation: 'A thread executed debug_break. Without a debugger it does nothing.',
  },
} as const satisfies Record<string, CodeInfo>

/** What Direct3D leaves undefined or drops; reported once per statement and reason. */
const UNDEFINED = {
  'engine-out-of-bounds': {
    severity: 'warning',
    title: 'Access past the end of a view',
    explanation:
      'The structure index, byte address, element or texel lies outside the view. Direct3D defines the outcome: loads give 0 and stores write nothing, per 32-bit component for raw buffers; the value that an atomic returns is undefined and reads 0 here. It is still nearly always a mistake in an index.',
    source: 'functional specification 22.4.10 to 22.4.13 and 22.17',
  },
  'engine-structure-offset': {
    severity: 'warning',
    title: 'Byte offset past the structure',
    explanation:
      'The byte offset, with the components accessed, reaches past the end of one structure. A store or atomic makes the contents of the whole UAV undefined, a load its whole result. Heddle writes nothing and loads 0; drivers write into the next structure, clip, or drop.',
    source: 'functional specification 22.4.12 and 22.4.13',
  },
  'engine-tgsm-bounds': {
    severity: 'warning',
    title: 'Access past the end of thread group shared memory',
    explanation:
      'The address lies past the end of that g# register, even if other shared memory follows. A store or atomic makes all shared memory of the group undefined, a load its result. Heddle writes nothing and loads 0.',
    source: 'functional specification 22.4.11, 22.4.13 and 22.17',
  },
  'engine-misaligned': {
    severity: 'warning',
    title: 'Address not a multiple of 4',
    explanation:
      'Raw addresses and byte offsets in structures must be multiples of 4. A misaligned store or atomic makes the whole UAV or all shared memory undefined, a load its result. Heddle rounds the address down to a multiple of 4.',
    source: 'functional specification 7.13',
  },
  'engine-indexable-temp-bounds': {
    severity: 'warning',
    title: 'Index past an indexable temporary register',
    explanation:
      'An index into x# lies outside its declaration. Direct3D leaves the result undefined; Heddle reads 0 and drops writes.',
    source: 'functional specification 22.3.36',
  },
  'engine-register-bounds': {
    severity: 'warning',
    title: 'Index past the declared inputs or outputs',
    explanation:
      'A computed index of an input or output register, or of a control point, lies outside what the shader declares. Direct3D leaves the result undefined; Heddle reads 0 and drops writes.',
    source: 'functional specification 22.3.30',
  },
  'engine-divergent-derivative': {
    severity: 'warning',
    title: 'Derivative in divergent flow',
    explanation:
      'A derivative, or a sample whose level of detail comes from derivatives, reads a value of neighboring pixels that did not execute the instruction. Direct3D forbids it for computed values; Heddle takes the last value of their registers.',
    source: 'functional specification 16.8',
  },
  'engine-max-vertex-count': {
    severity: 'warning',
    title: 'More vertices than declared',
    explanation:
      'A geometry shader invocation emits more vertices than dcl_maxout declares. The invocation ends at that emit.',
    source: 'functional specification 22.3.5',
  },
  'engine-sample-index': {
    severity: 'warning',
    title: 'Attribute at a sample that does not exist',
    explanation:
      'eval_sample_index names a sample that the render target does not have. Direct3D leaves the result undefined; Heddle evaluates at the center of the pixel.',
    source: 'functional specification 16.5',
  },
  'engine-constant-buffer-bounds': {
    severity: 'warning',
    title: 'Constant past the bound buffer',
    explanation: 'The constant lies past the size that is bound to the slot; it reads 0 in all components.',
    source: 'functional specification 5.3.4.3 and 7.5',
  },
  'engine-immediate-constant-bounds': {
    severity: 'warning',
    title: 'Index past the immediate constant buffer',
    explanation: 'An index into icb lies outside its constants; it reads 0 in all components.',
    source: 'functional specification 22.3.4',
  },
  'engine-unbound': {
    severity: 'warning',
    title: 'Access to a slot with nothing bound',
    explanation:
      'Nothing is bound to the slot that the instruction names: loads and size queries give 0, stores and atomics do nothing, an atomic returns 0. Bind something, or test the size first.',
    source: 'functional specification 7.18.17 and 22.4',
  },
  'engine-range-bounds': {
    severity: 'warning',
    title: 'Register outside its declared range',
    explanation:
      'In Shader Model 5.1 an instruction names a range and a register in it, which may be computed. The register lies outside the range that was declared; the result is undefined, and Heddle treats the slot as unbound.',
    source: 'functional specification 7.11',
  },
  'engine-subresource': {
    severity: 'warning',
    title: 'Mip, sample or slice that is not there',
    explanation:
      'A load names a mip level, sample or array slice that the view does not have. The texel reads 0. Where a multisample load names a sample that is not there, Direct3D leaves the result undefined.',
    source: 'functional specification 22.4.6 and 22.4.7',
  },
  'engine-interface': {
    severity: 'warning',
    title: 'Call through an interface pointer that points nowhere',
    explanation:
      'An fcall went through an interface pointer without a class instance, or with an index past the interface array. Direct3D leaves the outcome undefined; Heddle skips the call.',
    source: 'functional specification 22.7.19',
  },
  'engine-call-depth': {
    severity: 'warning',
    title: 'Subroutine calls nest too deep',
    explanation: 'Calls may nest 32 deep, and a call beyond that is skipped, as Direct3D says.',
    source: 'functional specification 22.7.10',
  },
  'engine-this-bounds': {
    severity: 'warning',
    title: 'Index past the this[] registers',
    explanation:
      'There is one this[] register for each declared interface pointer. The index lies past them; the result is undefined and reads 0 here.',
    source: 'functional specification 22.7.20',
  },
  'engine-format': {
    severity: 'warning',
    title: 'Operation that the format does not have',
    explanation:
      'The format of the view does not support the operation: filtering integers, gathering from a format without it, comparing against a color, atomics on other formats than R32_UINT and R32_SINT, or a typed load that feature level 11_0 does not promise.',
    source: 'functional specification 19.1 and the DXGI format tables',
  },
  'engine-no-counter': {
    severity: 'warning',
    title: 'Counter operation on a view without a counter',
    explanation:
      'imm_atomic_alloc and imm_atomic_consume work on the hidden counter of a structured UAV that was created with the counter or append flag. The view has none; the operation does nothing and returns 0.',
    source: 'functional specification 5.3.10',
  },
  'engine-divergent-barrier': {
    severity: 'warning',
    title: 'Barrier in divergent flow',
    explanation:
      'A sync with the thread flag was reached by a part of the threads of a wave while others go another way. Direct3D forbids it, and what happens is undefined. Heddle lets every thread wait where it arrives, and goes on when all threads that have not ended wait somewhere.',
    source: 'functional specification 22.17.7',
  },
} as const satisfies Record<string, CodeInfo>

/** Codes of the room `engine`. */
export const ENGINE_CODES = { ...REFUSALS, ...STOPS, ...UNDEFINED } as const satisfies Record<string, CodeInfo>
