import { describe, expect, it } from 'vitest'
import { githubAnnotation } from './github.ts'
import { sarifUri } from './sarif.ts'

describe('places of files in results', () => {
  it.each([
    ['tests/a b.job.json', 'tests/a%20b.job.json'],
    ['./a.job.json', 'a.job.json'],
    ['.\\tests\\a.job.json', 'tests/a.job.json'],
    ['/home/me/a.hlsl', 'file:///home/me/a.hlsl'],
    ['C:\\src\\a.hlsl', 'file:///C:/src/a.hlsl'],
    ['\\\\server\\share\\a.hlsl', 'file://server/share/a.hlsl'],
  ])('the URI of %s', (path, uri) => {
    expect(sarifUri(path)).toBe(uri)
  })

  it('annotations have slashes and no characters of their own syntax', () => {
    const finding = {
      severity: 'hint',
      title: 'a:b',
      message: '5 %\nmore',
      file: 'tests\\a,1.job.json',
      line: 3,
    } as const
    expect(githubAnnotation(finding)).toBe('::notice file=tests/a%2C1.job.json,line=3,title=a%3Ab::5 %25%0Amore')
  })
})
