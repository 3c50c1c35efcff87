/**
 * The adapters to Node for run descriptions: files (`files`) and HLSL compilers. The command line uses them, and
 * `heddle/job/node` offers the host.
 */
export { createHost, type HostOptions } from './job-host.ts'
