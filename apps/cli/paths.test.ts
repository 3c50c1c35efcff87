import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dividePattern, leadsOut, pathFrom } from './paths.ts'

describe('patterns are divided into a folder and the rest', () => {
  it.each([
    ['*.dxbc', '', '*.dxbc'],
    ['a/b/*.dxbc', 'a/b', '*.dxbc'],
    ['a/b*/c/*.dxbc', 'a', 'b*/c/*.dxbc'],
    ['/*.dxbc', '/', '*.dxbc'],
    ['/a/**/*.dxbc', '/a', '**/*.dxbc'],
    ['../{a,b}.dxbc', '..', '{a,b}.dxbc'],
  ])('%s', (argument, folder, pattern) => {
    expect(dividePattern(argument, posix)).toEqual({ folder, pattern })
    expect(dividePattern(argument, win32)).toEqual({ folder, pattern })
    expect(dividePattern(argument.replaceAll('/', '\\'), win32)).toEqual({ folder, pattern })
  })

  it('with drives and network names on Windows', () => {
    expect(dividePattern('C:\\*.dxbc', win32)).toEqual({ folder: 'C:/', pattern: '*.dxbc' })
    expect(dividePattern('C:\\a\\*.dxbc', win32)).toEqual({ folder: 'C:/a', pattern: '*.dxbc' })
    expect(dividePattern('\\\\server\\share\\**\\*.dxbc', win32)).toEqual({
      folder: '//server/share',
      pattern: '**/*.dxbc',
    })
  })

  it('a backslash of POSIX is a character', () => {
    expect(dividePattern('a\\b/*.dxbc', posix)).toEqual({ folder: 'a\\b', pattern: '*.dxbc' })
  })
})

describe('paths between files', () => {
  it.each([
    ['a', 'a/b.dxbc', 'b.dxbc', false],
    ['a', 'a/b/c.dxbc', 'b/c.dxbc', false],
    ['a', 'b.dxbc', '../b.dxbc', true],
    ['a', 'a/..b.dxbc', '..b.dxbc', false],
  ])('from %s to %s', (folder, file, expected, isOutside) => {
    expect(pathFrom(folder, file, posix)).toBe(expected)
    expect(pathFrom(folder, file.replaceAll('/', '\\'), win32)).toBe(expected)
    expect(leadsOut(expected)).toBe(isOutside)
  })

  it('another drive is outside', () => {
    const path = pathFrom('C:\\jobs', 'D:\\shaders\\a.dxbc', win32)
    expect(path).toBe('D:/shaders/a.dxbc')
    expect(leadsOut(path)).toBe(true)
  })
})
