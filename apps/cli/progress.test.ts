import { afterEach, describe, expect, it, vi } from 'vitest'
import { print, printMessage } from './print.ts'
import { progressText, progressThrough } from './progress.ts'

describe('the text of progress', () => {
  it('has a bar, a count and the file at work', () => {
    expect(progressText(3, 12, 'a/b.dxbc', 80)).toBe(`[=======${' '.repeat(23)}]  3/12 a/b.dxbc`)
    expect(progressText(12, 12, 'a.dxbc', 80)).toBe(`[${'='.repeat(30)}] 12/12 a.dxbc`)
  })

  it('has a short bar in narrow terminals, none in very narrow ones, and the end of long names', () => {
    expect(progressText(5, 10, 'shaders/lighting/shadow.dxbc', 40)).toBe('[=====     ]  5/10 ...hting/shadow.dxbc')
    expect(progressText(5, 10, 'shaders/lighting/shadow.dxbc', 20)).toBe(' 5/10 ...hadow.dxbc')
  })

  it('leaves the last column free at any width, with wide characters too', () => {
    const columnsOf = (text: string): number => [...text].reduce((sum, c) => sum + (c <= '~' ? 1 : 2), 0)
    for (let columns = 1; columns <= 130; columns++)
      for (const file of ['影/影影影影影影影影影影影影影影影影影影影影.dxbc', 'x'.repeat(200), 'a', ''])
        expect(columnsOf(progressText(99, 1000, file, columns)), `${columns}`).toBeLessThan(columns)
  })

  it('prints no control characters of names', () => {
    expect(progressText(0, 2, 'a\n\u001b[2Jb', 30)).toBe('0/2 a??[2Jb')
  })
})

describe('the progress line', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  /** What goes to both streams, where standard error is a terminal of so many columns. */
  function onTerminal(isTTY: boolean, env: Readonly<Record<string, string>>, work: () => void): string {
    let text = ''
    const streams = { stdout: process.stdout, stderr: Object.create(process.stderr, {}) as NodeJS.WriteStream }
    Object.defineProperties(streams.stderr, { isTTY: { value: isTTY }, columns: { value: 30 } })
    const write = (chunk: string | Uint8Array): boolean => {
      text += String(chunk)
      return true
    }
    vi.spyOn(streams.stdout, 'write').mockImplementation(write)
    Object.defineProperty(streams.stderr, 'write', { value: write })
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(streams.stderr as typeof process.stderr)
    for (const [name, value] of Object.entries({ TERM: 'xterm', HEDDLE_CHILD: '0', ...env })) vi.stubEnv(name, value)
    work()
    return text
  }

  const verb = (): void => {
    const progress = progressThrough(2, 2)
    progress.show(0, 'a')
    print('result of a\n')
    printMessage('warning of a\n')
    progress.show(1, 'b')
    progress.end()
    print('2 files\n')
  }

  it('is taken away before anything is printed, and leaves nothing behind', () => {
    const line = '\r\u001b[K'
    expect(onTerminal(true, {}, verb)).toBe(
      `${line}0/2 a${line}result of a\nwarning of a\n${line}1/2 b${line}2 files\n`,
    )
  })

  it('is not there in pipes, in dumb terminals, in processes that another one started, and for few files', () => {
    const plain = 'result of a\nwarning of a\n2 files\n'
    expect(onTerminal(false, {}, verb)).toBe(plain)
    expect(onTerminal(true, { TERM: 'dumb' }, verb)).toBe(plain)
    expect(onTerminal(true, { HEDDLE_CHILD: '1' }, verb)).toBe(plain)
    expect(onTerminal(true, {}, () => progressThrough(39, 40).show(0, 'a'))).toBe('')
  })
})
