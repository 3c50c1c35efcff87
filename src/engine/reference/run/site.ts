import type { WaveSite } from '../../observer.ts'
import type { Wave } from './state.ts'

/** What observers see of a wave: the observed wave is its own site, kept up to date as it runs. */
export function waveSite(w: Wave): WaveSite {
  return w.observed!.site
}
