export { SpaceList as default } from '@/features/coworking/components/space-list';
