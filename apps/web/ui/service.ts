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

export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator) || !isSecureContext) return
  const hadController = navigator.serviceWorker.controller !== null
  navigator.serviceWorker.register('service-worker.js').then(
    () =>
      navigator.serviceWorker.ready.then(() => {
        document.documentElement.dataset.offline = 'yes'
        if (!hadController) isolate()
      }),
    () => undefined,
  )
}
