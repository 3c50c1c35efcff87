// npm run bench [language] [kernels] [engine] [check] [debug] [draws] [floors] [lsp]: measures, prints, and changes nothing. Needs the build.
// Figures depend on the machine; compare within one run and quote medians and ratios (bench/README.md).
import { existsSync } from 'node:fs'

const PARTS = ['language', 'reference', 'kernels', 'engine', 'check', 'debug', 'draws', 'floors', 'lsp']
const chosen = process.argv.slice(2)
const unknown = chosen.filter((a) => !PARTS.includes(a))
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`)
  process.exit(2)
}
for (const part of chosen.length > 0 ? chosen : PARTS) {
  const url = new URL(`./${part}.mjs`, import.meta.url)
  if (!existsSync(url)) continue
  console.log(`\n## ${part}\n`)
  const { run } = await import(url.href)
  await run()
}
