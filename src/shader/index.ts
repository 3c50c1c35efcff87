/**
 * A container's bytes to everything known of the shader in it: its program, its reflection and its debug data. Engines'
 * devices, the disassembler, the validator, the checker, jobs and the command line read shaders here.
 *
 * Invariants: one code, `shader-no-code`, for a container without a program, whoever reads it; what is broken gives
 * diagnostics, never an exception; parts that are not requested are not decoded.
 * It neither changes containers (`dxbc`) nor runs anything.
 */
export * from './read.ts'
