import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isFailure, type JobHost } from '../../job/index.ts'
import { createHost } from './job-host.ts'

const root = mkdtempSync(join(tmpdir(), 'heddle-host-'))
const folder = join(root, 'inside')
mkdirSync(folder)
writeFileSync(join(folder, 'own.bin'), Uint8Array.of(1, 2, 3, 4, 5))
writeFileSync(join(root, 'secret.bin'), Uint8Array.of(9))
symlinkSync(join(root, 'secret.bin'), join(folder, 'link.bin'))
symlinkSync(join(root, 'new.bin'), join(folder, 'dangling.bin'))
symlinkSync('round.bin', join(folder, 'round.bin'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function bytesOf(host: JobHost, path: string, range?: { byteOffset: number; byteLength?: number }): number[] | string {
  const bytes = host.readFile(path, range)
  return isFailure(bytes) ? bytes.reason : [...bytes]
}

describe('files of a description', () => {
  const host = createHost({ folder })

  it('are read whole or in part, and shorter where they end', () => {
    expect(bytesOf(host, 'own.bin')).toEqual([1, 2, 3, 4, 5])
    expect(bytesOf(host, 'own.bin', { byteOffset: 1, byteLength: 2 })).toEqual([2, 3])
    expect(bytesOf(host, 'own.bin', { byteOffset: 3 })).toEqual([4, 5])
    expect(bytesOf(host, 'own.bin', { byteOffset: 4, byteLength: 9 })).toEqual([5])
    expect(bytesOf(host, 'own.bin', { byteOffset: 7 })).toEqual([])
  })

  it.each(['../secret.bin', join(root, 'secret.bin'), 'link.bin', 'dangling.bin', '../inside/../secret.bin'])(
    '%s lies outside, and is neither read nor written',
    (path) => {
      expect(bytesOf(host, path)).toMatch(/outside the folder/)
      expect(host.writeFile(path, Uint8Array.of(7))?.reason).toMatch(/outside the folder/)
      expect(readFileSync(join(root, 'secret.bin'))).toEqual(Buffer.from([9]))
    },
  )

  it('that lie outside are reached where that is allowed', () => {
    expect(bytesOf(createHost({ folder, allowOutside: true }), '../secret.bin')).toEqual([9])
  })

  it('that only look so, or are not there, are refused for what they are', () => {
    expect(bytesOf(host, '../inside/own.bin')).toEqual([1, 2, 3, 4, 5])
    expect(bytesOf(host, '..own.bin')).toBe('there is no such file')
    expect(bytesOf(host, '.')).toMatch(/a folder/)
    expect(typeof bytesOf(host, 'round.bin')).toBe('string')
  })

  it.runIf(process.platform === 'linux')('without an end are read as far as was asked, or refused', () => {
    const open = createHost({ folder, allowOutside: true })
    expect(bytesOf(open, '/dev/zero', { byteOffset: 0, byteLength: 3 })).toEqual([0, 0, 0])
    expect(bytesOf(open, '/dev/zero', { byteOffset: 2 ** 50, byteLength: 3 })).toMatch(/at most 256 MB/)
    expect(bytesOf(open, '/dev/zero')).toMatch(/more than 256 MB; at most 256 MB are read/)
  })

  it.runIf(process.platform === 'linux')('of many gigabytes are refused by their size', () => {
    const path = join(folder, 'sparse.bin')
    writeFileSync(path, '')
    truncateSync(path, 2 ** 36)
    expect(bytesOf(host, 'sparse.bin')).toMatch(/65536 MB/)
    expect(bytesOf(host, 'sparse.bin', { byteOffset: 2 ** 35, byteLength: 2 })).toEqual([0, 0])
  })

  it.runIf(process.platform === 'linux')('may be pipes', () => {
    const fifo = join(folder, 'pipe')
    execFileSync('mkfifo', [fifo])
    execFileSync('sh', ['-c', `(printf abc > '${fifo}') >/dev/null 2>&1 &`])
    expect(bytesOf(host, 'pipe')).toEqual([97, 98, 99])
  })
})

describe('the HLSL compiler', () => {
  it('is stopped after its time', () => {
    const compiler = `"${process.execPath}" -e "setTimeout(() => 0, 600000)" {input}`
    const host = createHost({ folder, compiler, compilerMilliseconds: 300 })
    const bytes = host.compile!('own.bin', 'main', 'cs_5_0')
    expect(isFailure(bytes) && bytes.reason).toBe('the compiler was stopped: it had not ended after 0.3 s')
  })

  it('is not given files outside of the folder', () => {
    const host = createHost({ folder, compiler: 'never-started {input}' })
    const bytes = host.compile!('../secret.hlsl', 'main', 'cs_5_0')
    expect(isFailure(bytes) && bytes.reason).toMatch(/outside the folder/)
  })
})
