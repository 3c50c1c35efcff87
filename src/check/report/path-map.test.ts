import { describe, expect, it } from 'vitest'
import { checkText, rawUav } from '../../../test/support/check-text.ts'
import { mapPath, mapReportPaths, parsePathMapping } from './path-map.ts'

describe('path mappings', () => {
  const map = (path: string, ...texts: string[]): string =>
    mapPath(
      path,
      texts.map((t) => parsePathMapping(t)!),
    )
  it('replace a folder at the start', () => {
    expect(map('Z:\\build\\src\\race.hlsl', 'Z:\\build=shaders')).toBe('shaders/src/race.hlsl')
    expect(map('z:/Build/race.hlsl', 'Z:\\build\\=.')).toBe('./race.hlsl')
    expect(map('/home/ci/a/b.hlsl', '/home/ci/a=')).toBe('b.hlsl')
    expect(map('/home/ci/b.hlsl', '/home/ci/b.hlsl=main.hlsl')).toBe('main.hlsl')
  })

  it('leave other folders alone, and take the first that fits', () => {
    expect(map('/builds/x.hlsl', '/build=a')).toBe('/builds/x.hlsl')
    expect(map('/A/x.hlsl', '/a=b')).toBe('/A/x.hlsl')
    expect(map('/a/b/x.hlsl', '/a/b=one', '/a=two')).toBe('one/x.hlsl')
  })

  it('are FROM=TO', () => {
    expect(parsePathMapping('no mapping')).toBeUndefined()
    expect(parsePathMapping('=x')).toBeUndefined()
    expect(parsePathMapping('/a=b=c')).toEqual({ from: '/a=b', to: 'c' })
  })

  it('name the files of both accesses of a finding', async () => {
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_thread_group 8, 1, 1
store_raw u0.x, l(4), vThreadIDInGroupFlattened.x
ret`
    const report = await checkText(text, { u0: rawUav(64) })
    const source = { file: 'C:\\x\\race.hlsl', line: 3 }
    const findings = report.findings.map((f) => ({ ...f, site: { ...f.site, source }, other: { ...f.other!, source } }))
    const [finding] = mapReportPaths({ ...report, findings }, [parsePathMapping('C:\\x=src')!]).findings
    const file = { file: 'src/race.hlsl', line: 3 }
    expect([finding!.site.source, finding!.other!.source]).toEqual([file, file])
    expect(finding!.message).toBe(report.findings[0]!.message)
  })
})
