import Payments
import Testing
