import { tileUrl } from '@/config/env'
import L from 'leaflet'
import 'leaflet/dist/leaflet.css'
// Natural Earth, public domain: land at 1:50m around India and at 1:110m beyond, in hundredths and tenths of a degree. Land and sea only: it draws no border that
// anybody could dispute, and the places on it are named by the listings themselves.
import land from './land.json'
import './property-map.css'

export const INDIA = L.latLngBounds([6.5, 68], [35.5, 97.5])

/** India, empty: land and sea, and tiles where there are some. Without animation for those who want none. */
export function baseMap(element: HTMLElement, { zoomIn, zoomOut }: { zoomIn: string; zoomOut: string }) {
  const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches
  const map = L.map(element, {
    minZoom: 4,
    maxZoom: 17,
    maxBounds: INDIA.pad(0.4),
    zoomControl: false,
    zoomAnimation: !still,
    fadeAnimation: !still,
    markerZoomAnimation: !still,
    keyboard: true,
    worldCopyJump: false,
  })
  L.control.zoom({ position: 'topright', zoomInTitle: zoomIn, zoomOutTitle: zoomOut }).addTo(map)
  map.attributionControl.setPrefix(false).addAttribution('Natural Earth')
  // Each on its own: where two overlap, one shape of both would have a hole.
  for (const part of land as Array<Array<Array<[number, number]>>>)
    L.polygon(part, { className: 'land', stroke: false, fillOpacity: 1, interactive: false }).addTo(map)
  if (tileUrl) L.tileLayer(tileUrl, { maxZoom: 19 }).addTo(map)
  return map
}

/** The name of a place, in plain text on the map. */
export function placeLabel(name: string, at: L.LatLngExpression) {
  const label = document.createElement('span')
  label.textContent = name
  return L.marker(at, {
    interactive: false,
    keyboard: false,
    icon: L.divIcon({ className: 'place', html: label, iconSize: undefined }),
  })
}
