/** Whole runs under the debugger, both ways, held against plain runs: bytes, statistics and findings are the same. */
import { watchDrawFindings } from '../../src/check/index.ts'
import type { DrawSource } from '../../src/debug/index.ts'
import type { OpenSession } from './debug-script.ts'
import { drawAtOnce } from './draw-text.ts'
import type { PreparedDraw } from './frames/index.ts'
import { stagesThatBegin } from './time-line/draw-moments.ts'
import { isOfPipeline } from './time-line/draw-steps.ts'
import { leftText } from './time-line/draw-walk.ts'
import { difference, plainRun, wrongFindings } from './time-line/findings.ts'
import { endText } from './time-line/walk.ts'

const different = (got: string, want: string): string | undefined =>
  got === want ? undefined : `under the debugger the run ends with ${got.slice(0, 300)}, not ${want.slice(0, 300)}`

/** Forward to the end, back to the middle, to the start, and to the end again. */
async function goBothWays({ timeLine }: Awaited<ReturnType<OpenSession>>): Promise<void> {
  const { clock: end } = await timeLine.goTo(Number.MAX_SAFE_INTEGER)
  for (const clock of [Math.floor(end / 2), 0, end]) await timeLine.goTo(clock)
}

/** What is different of a dispatch, in words. */
export async function wrongDispatch(open: OpenSession): Promise<string | undefined> {
  const session = await open()
  const { timeLine: line, run } = session
  await goBothWays(session)
  const got = endText(line.result, run.source.bindings)
  const { engine, loaded, bindings, groups, options = {} } = (await open()).run.source
  const { result, findings } = await plainRun({ engine, shader: loaded, bindings, groups, options })
  return different(got, endText(result, bindings)) ?? (await wrongFindings({ line }, findings))
}

const preparedOf = (source: DrawSource): PreparedDraw => ({ ...source, options: source.options ?? {} })

/** The same of a draw. */
export async function wrongDraw(open: OpenSession): Promise<string | undefined> {
  const session = await open()
  const { line, source } = session.run.draw!
  await goBothWays(session)
  const got = leftText(preparedOf(source), line.drawResult)
  const plain = preparedOf((await open()).run.draw!.source)
  const { engine, pipeline, resources, call, options } = plain
  const want: string[] = []
  const watch = watchDrawFindings(stagesThatBegin(plain), ({ code, site, message }, { stage }) => {
    want.push(`${stage} ${code} ${site.statement} ${site.invocation}: ${message}`)
  })
  const observed = drawAtOnce(engine, pipeline, resources, call, { ...options, observerOf: watch.observerOf })
  watch.finish()
  const found = (await line.findings()).filter((f) => !isOfPipeline(f))
  const texts = found.map((f) => `${f.stage} ${f.code} ${f.statement} ${f.invocation}: ${f.message}`)
  return different(got, leftText(plain, observed)) ?? difference(texts, want)
}
