import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The module that workers load, as a URL that needs no file: sources are TypeScript, which workers cannot import. Tests may change its text. */
export async function workerModule(change = (text: string): string => text): Promise<string> {
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
  const text = change(result.outputFiles[0]!.text)
  return `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
}
