import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The module that workers load, as a URL that needs no file: sources are TypeScript, which workers cannot import. */
export async function workerModule(): Promise<string> {
  const result = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: ['src/host/draw-worker.ts'],
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  })
  return `data:text/javascript;base64,${Buffer.from(result.outputFiles[0]!.contents).toString('base64')}`
}
