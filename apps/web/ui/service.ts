/** The service worker: all files of the page kept for use without a network, and the headers that let threads share memory. */

const RELOADED = 'heddle-reloaded'

/** Reloads once where the page is new, is no frame, and nothing that the user did would be lost. */
function isolate(): void {
  const isNew = sessionStorage.getItem(RELOADED) === null
  if (crossOriginIsolated || !isNew || window.top !== window.self || document.documentElement.dataset.touched === 'yes')
    return
  sessionStorage.setItem(RELOADED, 'yes')
  location.reload()
}

/** Notes that the user has begun to work: from then on no reload is without loss. */
export function noteTouches(): void {
  const note = (): void => {
    document.documentElement.dataset.touched = 'yes'
  }
  for (const kind of ['keydown', 'pointerdown', 'drop', 'paste']) {
    window.addEventListener(kind, note, { once: true, capture: true })
  }
}

/** Browsers and frames that allow no service workers refuse them, or throw where they are requested. */
export async function registerServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext) return
  try {
    const { serviceWorker } = navigator
    const hadController = serviceWorker.controller !== null
    await serviceWorker.register('service-worker.js')
    await serviceWorker.ready
    document.documentElement.dataset.offline = 'yes'
    if (!hadController) isolate()
  } catch {
    // The page works without: from the network, and on one thread where the host sends no headers.
  }
}
