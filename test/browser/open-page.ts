import type { BrowserContext, CDPSession, Page } from 'playwright-core'

/** A page of the browser, with what it says. */
export interface OpenPage {
  /** What an expression gives in the page, as plain data. */
  evaluate<T>(expression: string): Promise<T>
  /** Threads of workers that the page has now. */
  workerCount(): number
  /** Errors that nobody caught, and errors on the console. */
  readonly errors: readonly string[]
  readonly page: Page
  close(): Promise<void>
}

/** Counts worker threads as the browser sees them: they block while they wait, so nothing can be asked of them. */
async function countWorkers(session: CDPSession): Promise<() => number> {
  const attached = new Set<string>()
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') attached.add(sessionId)
  })
  session.on('Target.detachedFromTarget', ({ sessionId }) => attached.delete(sessionId))
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  return () => attached.size
}

/** Opens an address and waits until `ready`, an expression, is true there. */
export async function openPage(context: BrowserContext, address: string, ready: string): Promise<OpenPage> {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('crash', () => errors.push('the page crashed'))
  page.on('console', (message) => {
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isIcon) errors.push(message.text())
  })
  const workerCount = await countWorkers(await context.newCDPSession(page))
  await page.goto(address)
  await page.waitForFunction(ready)
  return {
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    workerCount,
    errors,
    page,
    close: () => page.close(),
  }
}
