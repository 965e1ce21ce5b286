import L from 'leaflet'
import { baseMap, INDIA, placeLabel } from './base-map'

export type Point = { lat: number; lng: number }
type Options = {
  words: { pin: string; zoomIn: string; zoomOut: string }
  onPut: (point: Point) => void
}
/** How far an arrow key moves the pin on the screen, and with Shift. */
const STEP = 8
const STRIDE = 64
const ARROWS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const NEAR = 15

/** A map with one pin, which is dragged, moved by arrow keys, or put where the map is pressed. */
export function drawPin(element: HTMLElement, { words, onPut }: Options) {
  const map = baseMap(element, words)
  const labels = L.layerGroup().addTo(map)
  let marker: L.Marker | null = null
  // What was just put is where it is seen; moving the map under it would be a surprise.
  let own: Point | null = null
  const put = ({ lat, lng }: L.LatLng) => {
    own = { lat: Number(lat.toFixed(6)), lng: Number(lng.toFixed(6)) }
    onPut(own)
  }
  map.fitBounds(INDIA, { animate: false })
  map.on('click', ({ latlng }) => put(latlng))

  function onKey(event: KeyboardEvent) {
    const way = ARROWS[event.key]
    if (!way || !marker) return
    // The map would move as well.
    event.preventDefault()
    event.stopPropagation()
    const by = event.shiftKey ? STRIDE : STEP
    const at = map.latLngToContainerPoint(marker.getLatLng()).add([way[0] * by, way[1] * by])
    put(map.containerPointToLatLng(at))
  }

  function place(point: Point) {
    if (marker) return marker.setLatLng(point)
    marker = L.marker(point, {
      draggable: true,
      autoPan: true,
      keyboard: true,
      icon: L.divIcon({ className: 'own-pin', html: '<i></i>', iconSize: [36, 36] }),
    })
    marker.on('dragend', () => marker && put(marker.getLatLng()))
    marker.on('add', () => {
      const drawn = marker?.getElement()
      drawn?.setAttribute('aria-label', words.pin)
      drawn?.addEventListener('keydown', onKey)
    })
    return marker.addTo(map)
  }

  return {
    /** Shows the pin of the form; the map follows what did not come from it. */
    show(point: Point | null) {
      if (!point) {
        marker?.remove()
        marker = null
        return
      }
      place(point)
      const mine = own !== null && own.lat === point.lat && own.lng === point.lng
      if (mine) map.panInside(point, { padding: [48, 48], animate: false })
      else map.setView(point, Math.max(map.getZoom(), NEAR), { animate: false })
    },
    /** Names places around, and shows them all while there is no pin. */
    name(places: ReadonlyArray<Point & { name: string }>) {
      labels.clearLayers()
      for (const { name, lat, lng } of places) placeLabel(name, [lat, lng]).addTo(labels)
      if (!marker && places.length > 0)
        map.fitBounds(L.latLngBounds(places.map(({ lat, lng }) => [lat, lng])).pad(0.2), {
          animate: false,
          maxZoom: 13,
        })
    },
    /** Puts the pin in the middle of what is seen, and the keys on it. */
    putHere() {
      put(map.getCenter())
      // Drawn with the form, a moment later.
      setTimeout(() => marker?.getElement()?.focus(), 0)
    },
    resized: () => map.invalidateSize({ pan: false }),
    remove: () => map.remove(),
  }
}
export type DrawnPin = ReturnType<typeof drawPin>
