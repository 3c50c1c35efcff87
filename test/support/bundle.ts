import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface Bundle {
  readonly text: string
  /** Files that went into it, relative to the repository. */
  readonly inputs: readonly string[]
  /** What it imports when it runs. */
  readonly imports: readonly string[]
}

/**
 * A module with all that it imports, as a bundler for browsers makes it. A module of Node would end it: esbuild
 * resolves none for the platform `browser`.
 */
export async function bundleForBrowser(entryPoint: string): Promise<Bundle> {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const { inputs, outputs } = result.metafile
  return {
    text: result.outputFiles[0]!.text,
    inputs: Object.keys(inputs),
    imports: Object.values(outputs).flatMap((output) => output.imports.map((i) => i.path)),
  }
}
