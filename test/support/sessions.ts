import { debug } from '../../src/host/index.ts'
import { parseDescription } from '../../src/job/index.ts'
import type { DebugSession } from '../../src/session/index.ts'
import { kernelJob, memoryHost } from './jobs.ts'

/** A session over a description as data; what is wrong with it is thrown. */
export async function sessionOf(
  job: unknown,
  files: Readonly<Record<string, Uint8Array>> = {},
  options: Parameters<typeof debug>[2] = {},
): Promise<DebugSession> {
  const { value: description, diagnostics } = parseDescription(job)
  if (description === undefined) throw new Error(JSON.stringify(diagnostics))
  const session = await debug(description, memoryHost(files), options)
  if (session.value === undefined) throw new Error(JSON.stringify(session.diagnostics))
  return session.value
}

/** A session over the small run of a kernel. */
export const kernelSession = (name: string): Promise<DebugSession> => sessionOf(kernelJob(name))

/** A compute shader in assembly with one raw UAV, of `groups` groups. */
export function assemblyJob(groups = 1, byteLength = 64): Record<string, unknown> {
  return {
    version: 1,
    name: 'test',
    shader: 'test.asm',
    dispatch: [groups, 1, 1],
    resources: [{ slot: 'u0', kind: 'raw', size: byteLength }],
  }
}

/** A session over assembly text that writes to the raw buffer u0. */
export function assemblySession(body: string, threads = 4, declarations = ''): Promise<DebugSession> {
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
${declarations}dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_thread_group ${threads}, 1, 1
${body}
`
  return sessionOf(assemblyJob(), { 'test.asm': new TextEncoder().encode(text) })
}
