/**
 * The adapters to Node: files, PNG images and HLSL compilers for run descriptions, and what the system's errors mean. The
 * command line uses them, and `heddle/job/node` offers the host.
 */
export { createHost, type HostOptions } from './job-host.ts'
export { encodePng } from './png.ts'
export { readPart } from './read-file.ts'
export { systemReason, writeReason } from './system-reason.ts'
